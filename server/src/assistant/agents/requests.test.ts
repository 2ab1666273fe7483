// Publication requests of members, and decisions about them.
import { expect, test } from "vitest";
import { refusalOf } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { curated } from "./curated-agents.ts";

const running = service();
const pathOf = ({ workspaceId }: World, id = "") =>
  `/workspaces/${workspaceId}/agents/studio/definitions${id && `/${id}`}`;
async function drafted() {
  const home = await world(running);
  const author = await home.member("member");
  const body = { name: "Greeter", instructions: "Greet.", tools: ["find"] };
  const definition = (await author.call("POST", pathOf(home), { body })).body;
  const ask = (kind: string, person = author, note?: string) =>
    person.call("POST", `${pathOf(home, definition.id)}/requests`, { body: { kind, ...(note && { note }) } });
  const decide = (request_id: string, decision: string, person = home.owner) =>
    person.call("PATCH", pathOf(home, definition.id), {
      body: { decide: { request_id, decision } },
      headers: { "if-match": "*" },
    });
  const list = async (person = author) =>
    (await person.call("GET", `${pathOf(home, definition.id)}/requests`)).body.items;
  return { home, author, definition, ask, decide, list };
}

test("who may not publish asks for it, and approving publishes the draft as it was read", async () => {
  const { home, author, definition, ask, decide, list } = await drafted();
  const asked = await ask("publish", author, "It is ready.");
  expect(asked.body).toMatchObject({
    kind: "publish",
    note: "It is ready.",
    state: "pending",
    version: 1,
    capabilities: [],
    requested_by_actor_id: author.actorId,
  });
  expect(refusalOf(await decide(asked.body.id, "approve", author))).toEqual([403, "forbidden"]);
  // Somebody changes it meanwhile: who decides must have read that.
  const path = pathOf(home, definition.id);
  await author.call("PATCH", path, { body: { instructions: "Wave." }, ifMatch: definition.revision });
  const body = { decide: { request_id: asked.body.id, decision: "approve" } };
  const stale = await home.owner.call("PATCH", path, { body, ifMatch: definition.revision });
  expect(refusalOf(stale)).toEqual([409, "revision_conflict"]);
  const approved = await home.owner.call("PATCH", path, { body, ifMatch: "2" });
  expect(approved.body).toMatchObject({ state: "published", version: 1, instructions: "Wave." });
  expect(approved.body.published_by_actor_id).toBe(home.owner.actorId);
  expect(await list()).toMatchObject([{ state: "approved", decided_by_actor_id: home.owner.actorId }]);
  expect(refusalOf(await decide(asked.body.id, "reject"))).toEqual([409, "request_decided"]);
  expect(refusalOf(await ask("publish"))).toEqual([409, "definition_not_draft"]);
});

test("a rejected request changes nothing, and may be made again", async () => {
  const { home, definition, ask, decide } = await drafted();
  const asked = await ask("publish");
  expect(refusalOf(await ask("publish"))).toEqual([409, "request_pending", "/body/kind"]);
  const rejected = await decide(asked.body.id, "reject");
  expect(rejected.body).toMatchObject({ state: "draft", revision: definition.revision });
  expect((await ask("publish")).status).toBe(201);
  expect((await ask("change", home.owner)).body.capabilities).toEqual(["agent_request:decide"]);
  expect(refusalOf(await decide(newId(), "approve"))).toEqual([422, "invalid_reference", "/body/decide/request_id"]);
});

test("a decision is sent alone", async () => {
  const { home, definition, ask } = await drafted();
  const asked = await ask("change");
  const body = { decide: { request_id: asked.body.id, decision: "approve" }, name: "Waver" };
  const refused = await home.owner.call("PATCH", pathOf(home, definition.id), { body, ifMatch: "1" });
  expect(refusalOf(refused)).toEqual([400, "invalid_request", "/body/decide"]);
});

test("members see their own requests, those who manage Agents all; also about curated ones", async () => {
  const { home, author, ask, list } = await drafted();
  const other = await home.member("member");
  await Promise.all([ask("change"), ask("access", other)]);
  expect([(await list()).length, (await list(other)).length, (await list(home.owner)).length]).toEqual([1, 1, 2]);
  const at = `${pathOf(home, curated[0]?.id)}/requests`;
  expect((await author.call("POST", at, { body: { kind: "access" } })).status).toBe(201);
  expect(refusalOf(await author.call("POST", at, { body: { kind: "publish" } }))).toEqual([
    409,
    "definition_not_draft",
  ]);
  const [asked] = (await home.owner.call("GET", at)).body.items;
  const body = { decide: { request_id: asked.id, decision: "approve" } };
  const decided = await home.owner.call("PATCH", pathOf(home, curated[0]?.id), { body, ifMatch: "0" });
  expect(decided.body).toMatchObject({ curated: "triage", revision: "0" });
  expect((await author.call("GET", at)).body.items).toMatchObject([{ state: "approved" }]);
});

test("a note holds 2,000 characters", async () => {
  const { ask } = await drafted();
  expect((await ask("change", undefined, "n".repeat(2001))).status).toBe(400);
  expect((await ask("change", undefined, "n".repeat(2000))).status).toBe(201);
});

test("whoever asked finds the decision in their inbox, and nobody else does", async () => {
  const { home, author, ask, decide } = await drafted();
  const other = await home.member("member");
  const told = async (person = author) =>
    (await person.call("GET", `/workspaces/${home.workspaceId}/inbox`)).body.items;
  const [publish, change] = [(await ask("publish")).body, (await ask("change")).body];
  expect(await told()).toEqual([]);
  await decide(change.id, "reject");
  await decide(publish.id, "approve");
  expect(await told()).toMatchObject([
    {
      category: "request_decided",
      action: "agent_request.approved",
      actor: { id: home.owner.actorId },
      about: { kind: "agent_request", id: publish.id, name: "Greeter", note: null },
      count: 1,
    },
    { action: "agent_request.rejected", about: { id: change.id } },
  ]);
  for (const person of [other, home.owner]) expect(await told(person)).toEqual([]);
  // Who decides what they asked themselves knows it.
  const own = (await ask("change", home.owner)).body;
  await decide(own.id, "approve");
  expect(await told(home.owner)).toEqual([]);
});
