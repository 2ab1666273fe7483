// Who decides on a ChangeSet: its initiator, in a browser session, on the digest that was shown. Nobody and nothing
// else can, whatever is asked.
import { describe, expect, test } from "vitest";
import { adminOf, applied, codes, propose, read, reviewed } from "../../../test/changes.ts";
import { mcpToken, sendMcp, serviceToken } from "../../../test/mcp.ts";
import { newProject, newTask, workshopOn } from "../../../test/work.ts";
import {
  asTenant,
  insertCredential,
  newKey,
  type Person,
  service,
  sessionHeaders,
  type World,
} from "../../../test/world.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";

const running = service();
const admin = adminOf(running);
const workshop = () => workshopOn(running);
const KINDS = { pat: "personal", dat: "developer", nat: "native", mat: "mcp" } as const;
/** Of the owner, and good for everything. */
async function bearer({ owner, workspaceId }: World, kind: keyof typeof KINDS): Promise<string> {
  const secret = newSecret(kind);
  await insertCredential(running, KINDS[kind], secret, owner.userId, workspaceId, ["svc:read", "svc:write"]);
  return secret;
}
const credentialId = async (secret: string) =>
  (await running.sql<{ id: string }>("select id from credentials where secret_hash = $1", [sha256(secret)]))[0]?.id ??
  "";
/** As if the service had let this person in with this credential. */
const asCaller = ({ workspaceId }: World, { actorId }: Person, credential: string, sql: string, values: unknown[]) =>
  asTenant(running, workspaceId, async (tx) => {
    await tx.rows("select set_config('svc.actor', $1, true), set_config('svc.credential', $2, true)", [
      actorId,
      credential,
    ]);
    return tx.rows<{ decided: boolean | null }>(sql, values);
  });

describe("a review", () => {
  test("is its initiator's alone: nobody else finds the ChangeSet, whatever their role", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const { body: set } = await propose(ada, home, [
      { action: "task.create", project_id: project.id, set: { title: "Hers" } },
    ]);
    for (const other of [owner, await home.member("admin")]) {
      expect((await reviewed(other, home, set)).status).toBe(404);
      expect(codes(await applied(other, home, set))).toEqual(["not_found", "/body/change_set_id not_found"]);
      expect((await read(other, home, set)).code).toBe("not_found");
    }
    expect((await reviewed(ada, home, set)).body.state).toBe("approved");
  });

  test("with any other credential than a session, or without its CSRF token, does not happen", async () => {
    const { home, owner, project } = await workshop();
    const { body: set } = await propose(owner, home, [
      { action: "task.create", project_id: project.id, set: { title: "New" } },
    ]);
    const path = `/workspaces/${home.workspaceId}/change-sets/${set.id}/review`;
    const body = { version: 1, digest: set.digest, decision: "approve" };
    for (const kind of ["pat", "dat", "nat"] as const) {
      const secret = await bearer(home, kind);
      const refused = await running.send("POST", path, { body, headers: { authorization: `Bearer ${secret}` } });
      expect([kind, refused.status, refused.body.code]).toEqual([kind, 403, "credential_kind_not_allowed"]);
    }
    const exchanged = await running.send("POST", "/cli/mcp/token", {
      body: { workspace_id: home.workspaceId, scopes: ["svc:write"] },
      headers: { authorization: `Bearer ${await bearer(home, "pat")}` },
    });
    const assistants = {
      "an assistant's": await mcpToken(running, home),
      "exchanged on the command line": exchanged.body.access_token,
      "a service's": (await serviceToken(home, ["svc:read", "svc:write"])).token,
    };
    for (const [whose, secret] of Object.entries(assistants)) {
      expect((await sendMcp(running, secret, "tools/list")).status, whose).toBe(200);
      const refused = await running.send("POST", path, { body, headers: { authorization: `Bearer ${secret}` } });
      expect([whose, refused.status, refused.body.code]).toEqual([whose, 401, "invalid_token"]);
    }
    const headers = sessionHeaders(owner.session);
    delete (headers as Record<string, string>)["x-csrf-token"];
    expect((await running.send("POST", path, { body, headers })).body.code).toBe("invalid_csrf_token");
    expect((await read(owner, home, set)).state).toBe("proposed");
  });

  test("of somebody who was suspended since does not happen, and is theirs again once they are back", async () => {
    const { home, project } = await workshop();
    const ada = await home.member("member");
    const { body: set } = await propose(ada, home, [
      { action: "task.create", project_id: project.id, set: { title: "Hers" } },
    ]);
    const suspend = (state: string) =>
      running.sql("update memberships set state = $2 where actor_id = $1", [ada.actorId, state], home.workspaceId);
    await suspend("suspended");
    for (const decision of ["approve", "reject"])
      expect((await reviewed(ada, home, set, decision)).status, decision).toBe(404);
    await suspend("active");
    expect((await reviewed(ada, home, set)).body.state).toBe("approved");
  });

  test("is not an approval once the evidence became private or was changed; to reject is always possible", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const source = await newProject(home);
    const fact = await newTask(owner, source.id, { title: "The brass is gone" });
    const captured = await ada.call("POST", `/workspaces/${home.workspaceId}/evidence-collections`, {
      body: { sources: [{ kind: "task_title", id: fact.id }] },
      key: newKey(),
    });
    const evidence = [{ id: captured.body.id, version: 1 }];
    const changes = [{ action: "task.create", project_id: project.id, set: { title: "Melt" } }];
    const { body: set } = await propose(ada, home, changes, { evidence });
    await owner.call("PATCH", `/projects/${source.id}`, {
      body: { visibility: "private" },
      headers: { "if-match": "*" },
    });
    expect(codes(await reviewed(ada, home, set))).toEqual(["evidence_unavailable", "/evidence/0 unavailable"]);
    const seen = await read(ada, home, set);
    expect([seen.state, seen.evidence[0].available, JSON.stringify(seen).includes("brass")]).toEqual([
      ...["proposed", false, false],
    ]);
    expect((await reviewed(ada, home, set, "reject")).body.state).toBe("rejected");
    expect((await owner.call("GET", `/projects/${project.id}/tasks`)).body.items).toEqual([]);
  });

  test("shows evidence as changed once a source says something else, and not for what is excluded or beside it", async () => {
    const { home, owner, project } = await workshop();
    const [fact, other] = [await newTask(owner, project.id, { title: "Brass" }), await newTask(owner, project.id)];
    const path = `/workspaces/${home.workspaceId}/evidence-collections`;
    const sources = [fact, other].map(({ id }) => ({ kind: "task_title", id }));
    const { body: captured } = await owner.call("POST", path, { body: { sources }, key: newKey() });
    const { body: narrowed } = await owner.call("POST", `${path}/exclusions`, {
      body: { collection_id: captured.id, version: 1, excluded_source_ids: [captured.sources[0].id] },
      key: newKey(),
    });
    const evidence = [1, 2].map((version) => ({ id: narrowed.id, version }));
    const changes = [{ action: "task.create", project_id: project.id, set: { title: "Melt" } }];
    const { body: set } = await propose(owner, home, changes, { evidence });
    const states = async () => (await read(owner, home, set)).evidence.map(({ state }: { state: string }) => state);
    expect(await states()).toEqual(["current", "current"]);
    const change = (body: object) => owner.call("PATCH", `/tasks/${fact.id}`, { body, headers: { "if-match": "*" } });
    await change({ priority: "high" });
    expect(await states()).toEqual(["current", "current"]);
    await change({ title: "Steel" });
    expect(await states()).toEqual(["changed", "current"]);
    // Whoever decides has seen it: it is no reason to refuse.
    expect((await reviewed(owner, home, set)).body).toMatchObject({
      state: "approved",
      evidence: [{ state: "changed", available: true }, { state: "current" }],
    });
    await change({ title: "Brass" });
    expect(await states()).toEqual(["current", "current"]);
  });

  test("cannot be stored in any other way: not by the application's role, nor for another actor, digest or credential", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const { body: set } = await propose(owner, home, [
      { action: "task.create", project_id: project.id, set: { title: "New" } },
    ]);
    const insert = `insert into change_set_reviews (workspace_id, change_set_id, version, decision, digest, actor_id,
      credential_id)
      values ($1, $2, 1, 'approve', decode($3, 'hex'), $4, $5)`;
    const row = [home.workspaceId, set.id, set.digest, owner.actorId, newId()];
    await expect(running.sql(insert, row, home.workspaceId)).rejects.toThrow("permission denied");
    await expect(admin(insert, row.with(3, ada.actorId)), "another person").rejects.toThrow("foreign key");
    const altered = set.digest.replace(/^./, (digit: string) => (digit === "0" ? "1" : "0"));
    await expect(admin(insert, row.with(2, altered)), "another digest").rejects.toThrow("foreign key");
    // Through the one function, as the initiator, with each kind of credential.
    const decide = async (credential: string, actor: Person) =>
      (
        await asCaller(
          home,
          actor,
          credential,
          `select review_change_set($1, 1, decode($2, 'hex'), 'approve') as decided`,
          [set.id, set.digest],
        )
      )[0]?.decided ?? null;
    for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[])
      expect([kind, await decide(await credentialId(await bearer(home, kind)), owner)]).toEqual([kind, null]);
    expect(await decide(newId(), owner), "no credential at all").toBe(null);
    const sessions = { owner: await credentialId(owner.session), ada: await credentialId(ada.session) };
    expect(await decide(sessions.ada, owner), "another person's session").toBe(null);
    expect(await decide(sessions.owner, ada), "as another actor").toBe(null);
    await expect(
      running.sql(
        `insert into change_set_applications (workspace_id, change_set_id, version, digest, command_id)
          values ($1, $2, 1, decode($3, 'hex'), $4)`,
        [home.workspaceId, set.id, set.digest, newId()],
        home.workspaceId,
      ),
      "without an approval nothing is applied",
    ).rejects.toThrow("foreign key");
    expect(await decide(sessions.owner, owner)).toBe(true);
    for (const change of [
      "update change_set_versions set changes = '[]' where change_set_id = $1",
      "delete from change_set_reviews where change_set_id = $1",
      "update change_sets set initiator_actor_id = initiator_actor_id where id = $1",
    ])
      await expect(running.sql(change, [set.id], home.workspaceId)).rejects.toThrow("permission denied");
  });
});
