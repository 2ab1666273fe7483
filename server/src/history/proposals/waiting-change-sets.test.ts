// Which ChangeSets wait for somebody: their own, the newest version of each, the newest first; nobody else's, with no
// other credential.
import { expect, test } from "vitest";
import { applied, propose, reviewed } from "../../../test/changes.ts";
import { newTask, pages, workshopOn } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const changes = (priority: string) => [{ action: "task.update", task_id: task.id, revision: "1", set: { priority } }];
  return { home, owner, changes };
}
const listed = async (person: Person, { workspaceId }: World, query = "") =>
  (await person.call("GET", `/workspaces/${workspaceId}/change-sets${query}`)).body.items as Record<string, unknown>[];

test("those that wait are listed newest first, each in its newest version, with where it is reviewed", async () => {
  const { home, owner, changes } = await workshop();
  const first = (await propose(owner, home, changes("high"), { title: "First", reason: "It blocks." })).body;
  const second = (await propose(owner, home, changes("low"), { title: "Second" })).body;
  const again = { title: "First, again", change_set_id: first.id, version: 1 };
  await propose(owner, home, [...changes("urgent"), ...[]], again);
  const rows = await listed(owner, home, "?state=open");
  expect(rows.map(({ id, version, title, state, count }) => [id, version, title, state, count])).toEqual([
    [second.id, 1, "Second", "proposed", 1],
    [first.id, 2, "First, again", "proposed", 1],
  ]);
  expect(rows[1]?.review_url).toBe(`/review?workspace_id=${home.workspaceId}&change_set_id=${first.id}&version=2`);
});

test("what is decided is listed apart, with its receipt where it was applied", async () => {
  const { home, owner, changes } = await workshop();
  const [kept, thrown, open] = [
    (await propose(owner, home, changes("high"))).body,
    (await propose(owner, home, changes("low"))).body,
    (await propose(owner, home, changes("medium"))).body,
  ];
  await reviewed(owner, home, thrown, "reject");
  await reviewed(owner, home, kept);
  const done = await applied(owner, home, kept);
  expect(done.status).toBe(200);
  const states = (rows: Record<string, unknown>[]) => rows.map(({ id, state }) => [id, state]);
  expect(states(await listed(owner, home, "?state=decided"))).toEqual([
    [thrown.id, "rejected"],
    [kept.id, "applied"],
  ]);
  expect(states(await listed(owner, home, "?state=open"))).toEqual([[open.id, "proposed"]]);
  const [, last] = await listed(owner, home, "?state=decided");
  expect([last?.receipt_id, last?.applied_at]).toEqual([done.body.receipt_id, done.body.applied_at]);
  expect((await listed(owner, home)).length).toBe(3);
});

test("nobody sees those of somebody else, and pages go on where they stopped", async () => {
  const { home, owner, changes } = await workshop();
  const ids: string[] = [];
  for (const priority of ["low", "medium", "high"])
    ids.unshift((await propose(owner, home, changes(priority))).body.id as string);
  expect(await listed(await home.member("admin"), home)).toEqual([]);
  const { items: found } = await pages(owner, `/workspaces/${home.workspaceId}/change-sets?state=open`, 1);
  expect(found.map(({ id }) => id)).toEqual(ids);
});

test("a token of the same person is refused: what waits for a decision is shown in a session alone", async () => {
  const { home, owner, changes } = await workshop();
  await propose(owner, home, changes("high"));
  const secret = newSecret("pat");
  await insertCredential(running, "personal", secret, owner.userId, home.workspaceId, ["svc:read", "svc:write"]);
  const answer = await fetch(`${running.url}/api/v1/workspaces/${home.workspaceId}/change-sets`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": newKey() },
  });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    403,
    "credential_kind_not_allowed",
  ]);
  const wrong = await owner.call("GET", `/workspaces/${home.workspaceId}/change-sets?state=nothing`);
  expect(wrong.status).toBe(400);
});
