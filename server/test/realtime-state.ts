// A client that took a snapshot and reads again what the hints name has what a fresh snapshot has, after every
// operation that writes, and so for every type of event. A line of the model's table that is left out shows.
// realtime-state.test.ts tests a third of the operations, realtime-state.slow.test.ts all.
import { type AnyOperation, isPublic, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixtures } from "./fixtures.ts";
import { type Following, following } from "./following.ts";
import { Model, seenBy } from "./realtime-model.ts";
import { attempt, type Ready, ready, type Stage, stageOn } from "./stage.ts";
import type { Person, TestService } from "./world.ts";

export interface Client {
  person: Person;
  hears: Following;
  model: Model;
}
const writes = [...operations.values()].filter(
  (operation) => isUnsafe(operation) && !isPublic(operation) && !operation.id.startsWith("archiveWorkspace"),
);
const AT_ONCE = 8;

/** Declares the test for the chosen operations. */
export function testRealtimeState(running: TestService, isChosen: (operation: AnyOperation) => boolean) {
  const { follow } = following(running);

  let stage: Stage;
  let clients: Client[];
  beforeAll(async () => {
    stage = await stageOn(running, [...operations.values()], fixtures);
    const { home } = stage;
    for (const parameter of ["task_id", "comment_id", "document_id"]) await home.shared(parameter);
    clients = await Promise.all(
      [home.owner, await home.member("member")].map(async (person) => ({
        person,
        hears: await follow(home.workspaceId, person, "workspace"),
        model: new Model(),
      })),
    );
    await settle();
  });
  afterAll(() => stage.admin.end());

  /**
   * Brings each client up to date, or lets it start again if it has to, and returns how each differs from a snapshot.
   */
  async function settle(): Promise<string[]> {
    const { workspaceId } = stage.home;
    const faults = [];
    for (const client of clients) {
      const changes = await client.hears.settled();
      const now = await seenBy(running, workspaceId, client.person);
      if (client.model.things.size === 0) client.model.things = now;
      else client.model.apply(changes, now);
      faults.push(
        ...client.model
          .differs(now)
          .map((fault) => `${client.person === stage.home.owner ? "owner" : "member"}: ${fault}`),
      );
      client.model.things = new Map(now);
    }
    return faults;
  }

  const chosen = writes.filter(isChosen);
  test("after every operation that writes", async () => {
    const wrong: Record<string, string[]> = {};
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      const some = chosen.slice(at, at + AT_ONCE);
      const calls = [];
      for (const operation of some) calls.push(await ready(stage, operation, true));
      // SQL inserts some of what they need, without a hint.
      await settle();
      for (const [index, operation] of some.entries()) await attempt(stage, operation, calls[index] as Ready);
      const faults = await settle();
      if (faults.length > 0) wrong[some.map(({ id }) => id).join()] = faults;
    }
    expect(wrong).toEqual({});
  });

  return { stage: () => stage, clients: () => clients };
}
