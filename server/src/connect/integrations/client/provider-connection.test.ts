// How connections are reached: with tokens that are renewed once however many want them, and how well they work.
import pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { reachingFrom } from "../../../../test/integrations.ts";
import { type AskedOf, standIn } from "../../../../test/providers/stand-in.ts";
import { newProject } from "../../../../test/work.ts";
import { service, testKeys, type World, world } from "../../../../test/world.ts";
import { secretBox } from "../../../platform/wire/secret-box.ts";
import { hookIntegration } from "../install/hooks.ts";
import { background, endIntegration, refreshIntegration } from "../jobs.ts";
import { credentialRow } from "../rules.ts";
import { reach } from "./provider-connection.ts";

const provider = await standIn();
afterAll(() => provider.close());
const apps = { gitlab: { url: provider.origin, client_id: "client", client_secret: "a-client-secret" } };
const running = service({ apps });
const parts = () => reachingFrom(running, apps);

const hooks = new Map<string, { id: number; url: string; token: string }>();
const formOf = ({ body }: AskedOf) => new URLSearchParams(String(body));
let renewals = 0;
beforeEach(() => {
  hooks.clear();
  renewals = 0;
  provider.on("GET /api/v4/user", ({ headers }: AskedOf) =>
    headers.authorization === "Bearer wrong"
      ? undefined
      : { id: 5, username: "octo", web_url: `${provider.origin}/octo` },
  );
  provider.on("POST /oauth/token", (asked: AskedOf) =>
    formOf(asked).get("refresh_token") === "old-refresh"
      ? { access_token: `new-${++renewals}`, refresh_token: "new-refresh", expires_in: 7200 }
      : { error: "invalid_grant" },
  );
  provider.on("POST /oauth/revoke", () => ({}));
  provider.on("GET /api/v4/projects", () => [
    { id: 9, path_with_namespace: "acme/site", web_url: "https://x.example/acme/site" },
  ]);
  provider.on("GET /api/v4/projects/9/hooks", () => [...hooks.values()]);
  provider.on("POST /api/v4/projects/9/hooks", ({ body }: AskedOf) => {
    const made = { id: 70 + hooks.size, ...(body as { url: string; token: string }) };
    hooks.set(String(made.id), made);
    return made;
  });
  for (const id of ["70", "71"])
    provider.on(`DELETE /api/v4/projects/9/hooks/${id}`, () => {
      hooks.delete(id);
      return null;
    });
});

const connect = (home: World, body: object = {}) =>
  home.owner.call("POST", `/workspaces/${home.workspaceId}/integration-authorizations/credential`, {
    body: { provider_key: "gitlab", credential: "a-token", ...body },
  });
const read = async (home: World, id: string) => (await home.owner.call("GET", `/integration-installations/${id}`)).body;
/** With tokens that end now. */
async function ending(home: World, refresh = "old-refresh") {
  const { id } = (await connect(home)).body;
  const sealed = secretBox(testKeys).seal(JSON.stringify({ access: "old", refresh }), credentialRow(id));
  const sql =
    "update integration_installations set sealed_credential = $2, credential_expires_at = now() where id = $1";
  await running.sql(sql, [id, sealed], home.workspaceId);
  return { workspace_id: home.workspaceId, installation_id: id as string };
}

describe("tokens that end", () => {
  test("are renewed once, however many processes want them at once", async () => {
    const home = await world(running);
    const { installation_id } = await ending(home);
    const reached = await Promise.all(
      Array.from({ length: 8 }, () => reach(parts(), home.workspaceId, installation_id)),
    );
    expect([renewals, new Set(reached.map((each) => each?.tokens?.access))]).toEqual([1, new Set(["new-1"])]);
    expect(reached[0]?.tokens?.refresh).toBe("new-refresh");
  });

  test("that cannot be renewed make the connection degraded, and another credential makes it active", async () => {
    const home = await world(running);
    const which = await ending(home, "refused");
    await refreshIntegration(parts(), which);
    expect(await read(home, which.installation_id)).toMatchObject({
      state: "degraded",
      error_code: "credential_refused",
    });
    const found = "select payload from domain_events where type = 'integration_installation.changed'";
    expect(await running.sql(found, [], home.workspaceId)).toEqual([
      { payload: { state: "degraded", error_code: "credential_refused" } },
    ]);
    await connect(home);
    expect(await read(home, which.installation_id)).toMatchObject({ state: "active", error_code: null });
  });

  test("are renewed by somebody else where whoever began has died", async () => {
    const home = await world(running);
    const { installation_id } = await ending(home);
    const died =
      "update integration_installations set refreshing_until = now() + interval '300 milliseconds' where id = $1";
    await running.sql(died, [installation_id], home.workspaceId);
    expect((await reach(parts(), home.workspaceId, installation_id))?.tokens?.access).toBe("new-1");
  });
});

describe("what a provider lists", () => {
  test("is listed anew, and what it lists no more is not", async () => {
    const home = await world(running);
    const { id } = (await connect(home)).body;
    const which = { workspace_id: home.workspaceId, installation_id: id };
    const names = async () =>
      (await home.owner.call("GET", `/integration-installations/${id}/resources`)).body.items.map(
        (each: { name: string }) => each.name,
      );
    await refreshIntegration(parts(), which);
    expect(await names()).toEqual(["acme/site"]);
    provider.on("GET /api/v4/projects", ({ path }: AskedOf) => {
      const page = Number(new URL(path, provider.origin).searchParams.get("page"));
      return Array.from({ length: page < 3 ? 100 : 1 }, (_, n) => ({
        id: page * 1000 + n,
        path_with_namespace: n === 0 ? `a\u0000\n${page}` : `acme/${page}-${n}`,
        web_url: "javascript:alert(1)",
      }));
    });
    await refreshIntegration(parts(), which);
    const first = (await home.owner.call("GET", `/integration-installations/${id}/resources?limit=100`)).body;
    expect(first.items.slice(0, 2)).toMatchObject([
      { name: "a 1", url: null },
      { name: "a 2", url: null },
    ]);
    expect([first.has_more, (await read(home, id)).refreshed_at]).toEqual([true, expect.any(String)]);
    const [{ count }] = (await running.sql<{ count: number }>(
      "select count(*)::int as count from integration_resources where listed",
      [],
      home.workspaceId,
    )) as [{ count: number }];
    expect(count).toBe(201);
  });

  test("is asked for anew within the hour, of every connection that is not revoked", async () => {
    const home = await world(running);
    const [one, other] = [(await connect(home)).body.id, (await connect(home, { credential: "b" })).body.id];
    expect(one, "the same account").toBe(other);
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    const withPgClient = <T>(work: (client: pg.Client) => Promise<T>) => work(client);
    const jobs = background.jobs?.(parts() as never) as Record<
      string,
      (payload: unknown, helpers: unknown) => Promise<void>
    >;
    const asked = async () =>
      (await client.query("select key from graphile_worker.jobs where key = $1", [`refresh_integration ${one}`]))
        .rowCount;
    await jobs.refresh_integrations?.({}, { withPgClient });
    expect(await asked()).toBe(1);
    await client.query("select graphile_worker.remove_job($1)", [`refresh_integration ${one}`]);
    await running.sql("update integration_installations set state = 'revoked' where id = $1", [one], home.workspaceId);
    await jobs.refresh_integrations?.({}, { withPgClient });
    expect(await asked()).toBe(0);
    await client.end();
  });

  test("that does not answer is degraded, and active after the next good answer", async () => {
    const home = await world(running);
    const which = { workspace_id: home.workspaceId, installation_id: (await connect(home)).body.id };
    for (const [way, code] of [
      ["reset", "unreachable"],
      [{ status: 401 }, "credential_refused"],
      ["cut", "unreachable"],
      [{ status: 403 }, "refused"],
    ] as const) {
      provider.fail(way);
      await refreshIntegration(parts(), which);
      expect(await read(home, which.installation_id)).toMatchObject({ state: "degraded", error_code: code });
      await refreshIntegration(parts(), which);
      expect(await read(home, which.installation_id)).toMatchObject({ state: "active", error_code: null });
    }
  });
});

describe("webhooks at the provider", () => {
  async function bound() {
    const home = await world(running);
    const { id } = (await connect(home)).body;
    await refreshIntegration(parts(), { workspace_id: home.workspaceId, installation_id: id });
    const [resource] = (await home.owner.call("GET", `/integration-installations/${id}/resources`)).body.items;
    const bind = async () => {
      const project = await newProject(home);
      const body = { installation_id: id, resource_id: resource.id };
      return (await home.owner.call("POST", `/projects/${project.id}/integration-bindings`, { body })).body.id;
    };
    const which = { workspace_id: home.workspaceId, resource_id: resource.id };
    return { home, id, bind, work: () => hookIntegration(parts(), which), workspace_id: home.workspaceId };
  }

  test("are registered once while a Project is bound, and removed after the last", async () => {
    const { home, id, bind, work } = await bound();
    await work();
    expect(hooks.size).toBe(0);
    const [one, other] = [await bind(), await bind()];
    await work();
    await work();
    const [hook] = hooks.values();
    expect([hooks.size, hook?.url]).toEqual([1, `${running.url}/api/v1/webhooks/integrations/gitlab/${id}`]);
    expect(hook?.token).toMatch(/^whsec_/);
    await home.owner.call("DELETE", `/integration-bindings/${one}`);
    await work();
    expect(hooks.size).toBe(1);
    await home.owner.call("DELETE", `/integration-bindings/${other}`);
    await work();
    expect(hooks.size).toBe(0);
  });

  test("that nobody is bound to any more, because the Project is gone, are removed when it is listed anew", async () => {
    const { id, bind, work, workspace_id } = await bound();
    const binding = await bind();
    await work();
    await running.sql("delete from integration_bindings where id = $1", [binding], workspace_id);
    const due = () =>
      running.asOwner("select from graphile_worker.jobs where task_identifier = 'hook_integration' and key = $1", [
        `hook ${resourceId}`,
      ]);
    const [{ id: resourceId } = { id: "" }] = await running.sql<{ id: string }>(
      "select id from integration_resources where installation_id = $1 and hook_external_id is not null",
      [id],
      workspace_id,
    );
    await running.asOwner("select graphile_worker.remove_job('hook ' || $1)", [resourceId]);
    await refreshIntegration(parts(), { workspace_id, installation_id: id });
    expect(await due()).toHaveLength(1);
    await work();
    expect(hooks.size).toBe(0);
  });

  test("whose answer was lost are found again", async () => {
    const { bind, work } = await bound();
    await bind();
    provider.on("PUT /api/v4/projects/9/hooks/70", () => hooks.get("70"));
    // The list of them comes first, then what registers one.
    const asked = provider.asked.length;
    const post = provider.asked;
    provider.on("POST /api/v4/projects/9/hooks", ({ body }: AskedOf) => {
      hooks.set("70", { id: 70, ...(body as { url: string; token: string }) });
      return { lost: true };
    });
    await expect(work()).rejects.toThrow("unknown");
    await work();
    expect([hooks.size, post.slice(asked).filter(({ method }) => method === "POST").length]).toEqual([1, 1]);
  });

  test("and tokens are removed there when the connection is ended, or forgotten here after eight attempts", async () => {
    for (const reachable of [true, false]) {
      const { home, id, bind, work, workspace_id } = await bound();
      await bind();
      await work();
      expect((await home.owner.call("DELETE", `/integration-installations/${id}`)).status).toBe(204);
      const which = { workspace_id, installation_id: id };
      const sealed = () =>
        running.sql("select sealed_credential from integration_installations where id = $1", [id], workspace_id);
      if (!reachable) {
        provider.fail("reset", "reset");
        await expect(endIntegration(parts(), which, 1)).rejects.toThrow();
        expect(await sealed()).not.toEqual([{ sealed_credential: null }]);
        await endIntegration(parts(), which, 8);
      } else {
        await endIntegration(parts(), which);
        expect(hooks.size).toBe(0);
        expect(provider.asked.at(-1)?.path).toBe("/oauth/revoke");
      }
      expect(await sealed()).toEqual([{ sealed_credential: null }]);
      expect(await reach(parts(), workspace_id, id)).toBeNull();
    }
  });
});
