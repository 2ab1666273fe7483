// Deliveries of a provider: those who manage the connection can list and replay them.
import { describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  plantBinding,
  plantDelivery,
  plantInstallation,
  plantResource,
  signedNow,
} from "../../../test/integrations.ts";
import { newProject } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service({ roles: ["api", "worker"] });

async function connected(rules: Record<string, unknown> = { create_tasks: true }) {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  const resource = await plantResource(running, workspaceId, id);
  const bound = { installationId: id, resourceId: resource.id, projectId: project.id, rules };
  await plantBinding(running, workspaceId, owner.actorId, bound);
  const deliver = (body: unknown) => {
    const raw = JSON.stringify(body);
    const headers = { "content-type": "application/json", ...signedNow(raw) };
    return running.send("POST", `/webhooks/integrations/webhook/${id}`, { raw, headers });
  };
  const list = async (person: Person = owner, query = "") =>
    (await person.call("GET", `/integration-installations/${id}/deliveries${query}`)).body.items;
  const replay = (deliveryId: string, person: Person = owner, key = newKey()) =>
    person.call("POST", `/integration-deliveries/${deliveryId}/replay`, { key });
  const settled = (count: number) =>
    eventually(async () => {
      const items = await list();
      expect(items.filter(({ state }: { state: string }) => state !== "waiting")).toHaveLength(count);
      return items;
    });
  const tasks = async () =>
    (await owner.call("GET", `/projects/${project.id}/tasks?sort=created`)).body.items.map(
      ({ title }: { title: string }) => title,
    );
  return { home, owner, workspaceId, project, id, resource, deliver, list, replay, settled, tasks };
}
const change = (sql: string, id: string) =>
  running.asOwner(`update integration_deliveries set ${sql} where id = $1`, [id]);

describe("deliveries of a connection", () => {
  test("are listed, the newest first, with what became of them and no word of what they say", async () => {
    const place = await connected();
    await place.deliver({ id: "1", title: "SECRET words" });
    await place.deliver({ id: "2", title: "More" });
    const [second, first] = await place.settled(2);
    expect(first).toEqual({
      id: first.id,
      installation_id: place.id,
      action: "message",
      state: "done",
      attempts: 1,
      replays: 0,
      resource: { id: place.resource.id, kind: "endpoint", name: "endpoint", url: null },
      error_code: null,
      replayable: true,
      received_at: expect.any(String),
      worked_at: expect.any(String),
    });
    expect(Date.parse(second.received_at)).toBeGreaterThanOrEqual(Date.parse(first.received_at));
    const at = `/integration-installations/${place.id}/deliveries?limit=1`;
    const page = (await place.owner.call("GET", at)).body;
    expect([page.items[0].id, page.has_more]).toEqual([second.id, true]);
    const next = (await place.owner.call("GET", `${at}&cursor=${page.next_cursor}`)).body;
    expect([next.items[0].id, next.has_more]).toEqual([first.id, false]);
    expect(JSON.stringify([page, next])).not.toMatch(/SECRET|delivery_key|body/);
  });

  test("are listed by state, page by page", async () => {
    const place = await connected();
    const states = ["done", "failed", "ignored", "failed", "waiting", "done"];
    const planted: string[] = [];
    for (const state of states) {
      const { id } = await plantDelivery(running, place.workspaceId, place.id);
      await change(`state = '${state}', leased_until = now() + interval '1 hour'`, id);
      planted.unshift(id);
    }
    const stateOf = new Map(planted.map((id, at) => [id, states.toReversed()[at] as string]));
    const idsOf = (...wanted: string[]) => planted.filter((id) => wanted.includes(stateOf.get(id) as string));
    const read = async (query: string) =>
      (await place.list(place.owner, query)).map(({ id }: { id: string }) => id) as string[];
    for (const state of ["waiting", "done", "ignored", "failed"])
      expect(await read(`?state=${state}`), state).toEqual(idsOf(state));
    expect(await read("?state=failed,done")).toEqual(idsOf("failed", "done"));
    expect(await read("?state=failed,failed"), "none twice").toEqual(idsOf("failed"));
    expect(await read("?state=!done")).toEqual(idsOf("waiting", "ignored", "failed"));
    expect(await read("?state=!waiting,done,ignored,failed")).toEqual([]);

    const at = `/integration-installations/${place.id}/deliveries`;
    const paged: string[] = [];
    let cursor = "";
    do {
      const { body } = await place.owner.call("GET", `${at}?state=failed,done&limit=2${cursor}`);
      paged.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : "";
    } while (cursor);
    expect(paged).toEqual(idsOf("failed", "done"));

    const { body: first } = await place.owner.call("GET", `${at}?state=failed&limit=1`);
    const refused = ["?state=", "?state=lost", "?state=done,", `?state=done&limit=1&cursor=${first.next_cursor}`];
    for (const query of refused) expect((await place.owner.call("GET", at + query)).status, query).toBe(400);
    const beside = await connected();
    expect(await beside.list(beside.owner, "?state=done,failed"), "of another connection").toEqual([]);
  });

  test("are for those who manage Integrations, of this Workspace, while it is connected", async () => {
    const place = await connected();
    const { home, owner, id, replay } = place;
    const one = await plantDelivery(running, place.workspaceId, id);
    const [admin, member] = [await home.member("admin"), await home.member("member")];
    const stranger = (await world(running)).owner;
    const listed = (person: Person) => person.call("GET", `/integration-installations/${id}/deliveries`);
    expect(await place.list(admin)).toHaveLength(1);
    expect((await listed(member)).status, "who sees the connection").toBe(403);
    expect((await listed(stranger)).status).toBe(404);
    for (const person of [member, stranger]) expect((await replay(one.id, person)).status).toBe(404);
    expect((await owner.call("POST", `/integration-deliveries/${one.id}/replay`)).body.code).toBe(
      "idempotency_key_required",
    );
    expect((await replay(newId())).status).toBe(404);
    await running.asOwner("update integration_installations set state = 'revoked' where id = $1", [id]);
    expect((await replay(one.id)).body.code).toBe("installation_revoked");
    await owner.call("DELETE", `/integration-installations/${id}`);
    expect([(await replay(one.id)).status, (await listed(owner)).status]).toEqual([404, 404]);
    expect(await running.asOwner("select replays from integration_deliveries where id = $1", [one.id])).toEqual([
      { replays: 0 },
    ]);
  });
});

describe("a replay", () => {
  test("works it once more, once for each that is asked for, with the rules of now", async () => {
    const place = await connected({});
    await place.deliver({ id: "1", title: "Made later" });
    const [delivery] = await place.settled(1);
    expect(await place.tasks(), "no rule makes Tasks").toEqual([]);
    await running.asOwner(
      `update integration_bindings set rules = rules || '{"create_tasks": true}' where workspace_id = $1`,
      [place.workspaceId],
    );
    const key = newKey();
    const answers = [
      await place.replay(delivery.id, place.owner, key),
      await place.replay(delivery.id, place.owner, key),
    ];
    expect(answers.map(({ status, body }) => [status, body.state, body.replays])).toEqual([
      [202, "waiting", 1],
      [202, "waiting", 1],
    ]);
    expect(await place.settled(1)).toMatchObject([{ state: "done", attempts: 1, replays: 1 }]);
    expect(await place.tasks()).toEqual(["Made later"]);
    await place.replay(delivery.id);
    expect(await place.settled(1)).toMatchObject([{ state: "done", attempts: 1, replays: 2 }]);
    expect(await place.tasks(), "what is there is not made twice").toEqual(["Made later"]);
  });

  test("stands behind what waits for the same resource, and is not worked beside it", async () => {
    const place = await connected();
    const first = await plantDelivery(running, place.workspaceId, place.id);
    // Somebody is at work on the one before it.
    const held = await plantDelivery(running, place.workspaceId, place.id);
    await change("state = 'waiting', leased_until = now() + interval '1 hour'", held.id);
    expect((await place.replay(first.id)).status).toBe(202);
    await place.deliver({ id: "3", title: "Third" });
    // Another lane is worked meanwhile.
    const beside = await connected();
    await beside.deliver({ id: "1", title: "Beside" });
    await beside.settled(1);
    expect(await place.tasks(), "all of them wait").toEqual([]);
    await change(`leased_until = null, body = '{"id": "x", "title": "Held"}'`, held.id);
    await place.deliver({ id: "4", title: "Fourth" });
    await place.settled(4);
    expect(await place.tasks()).toEqual(["Fourth", "Third", "Planted", "Held"]);
  });

  test("is refused while the delivery waits, and once what it said was erased", async () => {
    const place = await connected();
    const waiting = await plantDelivery(running, place.workspaceId, place.id);
    await change("state = 'waiting', leased_until = now() + interval '1 hour'", waiting.id);
    expect(await place.replay(waiting.id)).toMatchObject({ status: 409, body: { code: "delivery_waiting" } });
    const erased = await plantDelivery(running, place.workspaceId, place.id);
    await change("body = null", erased.id);
    expect(await place.replay(erased.id)).toMatchObject({ status: 409, body: { code: "delivery_erased" } });
    const shown = new Map((await place.list()).map((each: { id: string }) => [each.id, each]));
    expect(shown.get(erased.id)).toMatchObject({ state: "done", replays: 0, replayable: false });
    expect(shown.get(waiting.id)).toMatchObject({ state: "waiting", replays: 0, replayable: false });
  });
});
