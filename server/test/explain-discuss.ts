// The conversation of a member: everything that saying, answering, stopping and deciding touches is found by an index.
// Part of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import {
  askPerson,
  claimRun,
  decidedInteraction,
  discussRuns,
  finishRun,
  historyOf,
  questionOf,
  readableFiles,
  writeParts,
} from "../src/assistant/discuss/answers/run-store.ts";
import { aiLetIn } from "../src/assistant/runs/store.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { discussPath, say } from "./discuss.ts";
import { explaining } from "./explained.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("a turn is queued, answered, read and decided by an index", async () => {
  const { home } = seen.loaded;
  const { owner, workspaceId } = home;
  seen.recorded = [];
  const { assistant_message: message } = await say(owner, home, "What is overdue?");
  const { writer } = running.database;
  const run = (await claimRun(writer, workspaceId, message.run_id)) ?? expect.fail("it was not taken");
  const held = { workspaceId, id: run.id, fence: run.fence };
  await discussRuns.keepLease(writer, held);
  await discussRuns.beginStep(writer, held, { number: 1, kind: "model", asked: "sealed" });
  await discussRuns.endStep(writer, held, {
    number: 1,
    answered: "sealed",
    usage: { input: 1, output: 1 },
    readOthers: false,
  });
  await Promise.all([
    ...[
      discussRuns.stepsOf(writer, held),
      historyOf(writer, workspaceId, run),
      questionOf(writer, workspaceId, run.turn_id),
    ],
    readableFiles(writer, workspaceId, [newId()], run.actor_id),
    decidedInteraction(writer, workspaceId, newId(), run.actor_id),
    aiLetIn(writer, workspaceId),
  ]);
  await writeParts(writer, held, [], [{ type: "started" }]);
  const id = newId();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  await askPerson(writer, held, {
    id,
    actorId: run.actor_id,
    messageId: message.id,
    kind: "recovery",
    input: "sealed",
    changeSet: null,
    expiresAt,
  });
  const part = {
    kind: "interaction" as const,
    part_id: id,
    interaction_id: id,
    interaction_kind: "recovery" as const,
    version: 1,
    state: "open" as const,
    question: "Again?",
    choices: [{ id: "leave", label: "No" }],
    change_set: null,
    expires_at: expiresAt,
  };
  await finishRun(writer, held, { state: "failed", error: "internal", content: "", parts: [part], readOthers: false });
  const answers = [
    await owner.call("GET", discussPath(home, "availability")),
    await owner.call("GET", discussPath(home, `messages/${message.id}`)),
    await owner.call("GET", discussPath(home, `messages/${message.id}/run-events`)),
    await owner.call("GET", discussPath(home, "events?after=19000")),
    await owner.call("POST", discussPath(home, "read-state"), { body: { last_read_sequence: 5 } }),
    await owner.call("POST", discussPath(home, `messages/${message.id}/cancel`)),
    await owner.call("POST", discussPath(home, `interactions/${id}/decision`), {
      body: { version: 1, decision: "choose", choice_id: "leave" },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
  const trips = answers.map(({ trips: taken }) => taken);
  expect(trips.slice(0, 2)).toEqual([1, 1]);
  expect(Math.max(...trips)).toBeLessThanOrEqual(5);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
