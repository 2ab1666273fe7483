// Turns that pin a Knowledge search: they compare its result version, and the model reads its passages.
import { afterAll, expect, test } from "vitest";
import { discussPath, ended } from "../../../test/discuss.ts";
import { any } from "../../../test/documents.ts";
import { knowing } from "../../../test/knowledge.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { joinProject, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, type World, world } from "../../../test/world.ts";

const provider = await scriptedModel();
afterAll(() => provider.close());
const indexed = knowing();
/** A service whose worker indexes and answers. */
const working = knowing({ roles: ["api", "worker", "realtime"], ...provider.config });
const { running, index, settings, logged } = indexed;

const HEATING = "The heating of the building runs from six to nine.";
const Q = "How do we keep the building warm?";
async function heated({ running, settings, ask } = indexed) {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const task = await newTask(home.owner, project.id, {
    title: "Boiler",
    description_markdown: HEATING,
  });
  await settings(home, { included_projects: [project.id] });
  const version = async (q = Q, person = home.owner): Promise<string> =>
    (await ask(home, "search", q, person)).body.result_version;
  return { home, project, task, version };
}
const turn = (home: World, result_version: string, { query = Q, person = home.owner, key = newKey() } = {}) =>
  person.call("POST", discussPath(home, "turns"), {
    body: { content: "When?", metadata: [{ kind: "search_result", query, result_version }] },
    key,
  });

test("a turn is queued while the Knowledge search finds the same, and is stale as soon as a source has changed", async () => {
  const { home, task, version } = await heated();
  await index();
  const pinned = await version();
  const key = newKey();
  const made = await turn(home, pinned, { key });
  expect(made.status, made.text).toBe(202);
  const line = logged()
    .split("\n")
    .findLast((each) => each.includes('"createDiscussTurn"'));
  expect(JSON.parse(line as string).round_trips).toBeLessThanOrEqual(5);
  const expectStale = async (sent: string, why: string) => {
    const { status, body } = await turn(home, sent);
    expect([status, body.code, body.errors[0].pointer], why).toEqual([
      ...[409, "revision_conflict", "/body/metadata/0/result_version"],
    ]);
    expect(body.current_revision, why).toBe(await version());
  };
  const change = (body: object) => home.owner.call("PATCH", `/tasks/${task.id}`, { body, headers: any.headers });

  await change({ description_markdown: "The heating of the building runs from seven to ten." });
  await expectStale(pinned, "at once, before the change is in the index");
  await index();
  await expectStale(pinned, "with the change in the index");
  const changed = await version();
  expect((await turn(home, changed)).status).toBe(202);
  await change({ priority: "high" });
  await expectStale(changed, "another revision of the same words");

  const again = await turn(home, pinned, { key });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
  expect(again.body.turn_id).toBe(made.body.turn_id);
});

test("each person's turn is compared with what that person finds, and each search with its own versions", async () => {
  const { home, project, version } = await heated();
  await index();
  const [inside, outside] = [await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, inside, "member");
  const pinned = await version();
  const status = async (sent: string, person: Person) => (await turn(home, sent, { person })).status;
  expect([await status(pinned, inside), await status(pinned, outside)]).toEqual([202, 409]);
  const nothing = await version(Q, outside);
  expect([await status(nothing, inside), await status(nothing, outside)]).toEqual([409, 202]);
  const other = await world(running);
  expect((await turn(other, pinned)).status, "of another Workspace").toBe(409);

  const path = `/workspaces/${home.workspaceId}/search?q=${encodeURIComponent(Q)}`;
  const content: string = (await home.owner.call("GET", path)).body.result_version;
  expect((await turn(home, content)).status).toBe(202);
  await settings(home, { enabled: false });
  expect((await turn(home, content)).status, "Knowledge has no part in it").toBe(202);
  expect(await status(pinned, home.owner), "nothing is found while Knowledge is off").toBe(409);
});

test("the model reads the passages that are pinned", async () => {
  const { home, version } = await heated(working);
  provider.say({ text: ["From six to nine."] });
  await expect.poll(() => working.passages(home, Q)).toContain(HEATING);
  const { body } = await turn(home, await version());
  const answer = await ended(home.owner, home, body.assistant_message.id);
  expect(answer.content).toContain("From six to nine.");
  expect(JSON.stringify(provider.asked[0]?.body)).toContain(HEATING);
});
