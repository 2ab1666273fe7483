// The budget of the assistant: turns within an hour, and runs at once, of a person and of a Workspace. It is counted in
// the database, so it holds whichever process is asked.
import pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { custom, runsOf, start } from "../../../test/agent-runs.ts";
import { decideOn, discussPath, ended, partsOf, say, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { secondServer } from "../../../test/second-server.ts";
import { newComment, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { newId } from "../../platform/wire/ids.ts";
import { startFromEvents } from "../agents/execution/triggers.ts";
import { startSpecialist } from "./specialists/specialist-store.ts";

const provider = await scriptedModel();
beforeEach(() => provider.clear());
afterAll(() => provider.close());
const limits = { turnsPerHour: 1000, perPerson: 1000, perWorkspace: 1000 };
const ask = (person: Person, home: World, key = newKey()) =>
  person.call("POST", discussPath(home, "messages"), { body: { content: "Hello?" }, key });
const statuses = (answers: readonly { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => (status === 429 ? body.code : status)).sort();

describe("turns within an hour", () => {
  const running = service({ runLimits: { ...limits, turnsPerHour: 3 } });

  test("are as many as the setting allows, however many are sent at once, each person by themselves", async () => {
    const { home, ada, bob } = await talkers(running);
    const sent = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ask(ada, home)));
    expect(statuses(sent)).toEqual([202, 202, 202, "turns_exceeded", "turns_exceeded", "turns_exceeded"]);
    const refused = sent.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(3500);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(3600);
    expect((await ask(bob, home)).status).toBe(202);
    expect((await ada.call("GET", discussPath(home, "messages"))).body.items).toHaveLength(6);
  });

  test("free a place when an hour has passed; a key that was used answers its turn whatever the budget is", async () => {
    const { home, ada } = await talkers(running);
    const key = newKey();
    const first = await ask(ada, home, key);
    await ask(ada, home);
    await ask(ada, home);
    expect((await ask(ada, home)).body.code).toBe("turns_exceeded");
    const again = await ask(ada, home, key);
    expect([again.status, again.body.turn_id]).toEqual([202, first.body.turn_id]);
    const age = (by: string) =>
      running.asOwner(`update discuss_runs set created_at = now() - $2::interval where message_id = $1`, [
        ...[first.body.assistant_message.id, by],
      ]);
    await age("59 minutes 50 seconds");
    const late = await ask(ada, home);
    expect([late.status, Number(late.headers.get("retry-after")) <= 11]).toEqual([429, true]);
    await age("60 minutes 1 second");
    expect((await ask(ada, home)).status).toBe(202);
  });
});

describe("runs at once", () => {
  const running = service({ runLimits: { ...limits, perPerson: 2, perWorkspace: 3 } });

  test("are limited by person and by Workspace, and a cancelled one frees its place", async () => {
    const { home, ada, bob } = await talkers(running);
    const { assistant_message } = await say(ada, home, "One?");
    await say(ada, home, "Two?");
    const third = await ask(ada, home);
    expect([third.status, third.body.code, third.headers.get("retry-after")]).toEqual([429, "runs_exceeded", "10"]);
    // The Workspace has one place left, whoever takes it.
    expect(statuses(await Promise.all([ask(bob, home), ask(bob, home)]))).toEqual([202, "runs_exceeded"]);
    const { home: elsewhere, ada: grace } = await talkers(running);
    expect((await ask(grace, elsewhere)).status).toBe(202);
    await ada.call("POST", discussPath(home, `messages/${assistant_message.id}/cancel`));
    expect((await ask(ada, home)).status).toBe(202);
  });

  test("count the Agent runs that a person starts, and Agent runs count their turns", async () => {
    const { home, ada, bob } = await talkers(running);
    const agent = await custom(ada, home);
    expect((await start(bob, home, agent)).status).toBe(201);
    await say(bob, home, "One?");
    const more = await start(bob, home, agent);
    expect([more.status, more.body.code, more.headers.get("retry-after")]).toEqual([429, "runs_exceeded", "10"]);
    expect((await ask(bob, home)).body.code).toBe("runs_exceeded");
  });

  test.each(["mention", "assignment"])(
    "count the Agent runs that begin with a person's %s for that person",
    async (trigger) => {
      const { home, ada, bob } = await talkers(running);
      const begun = await start(bob, home, await custom(ada, home));
      await running.asOwner("update agent_runs set trigger = $2 where id = $1", [begun.body.id, trigger]);
      await say(bob, home, "One?");
      expect((await ask(bob, home)).body.code).toBe("runs_exceeded");
      expect((await ask(ada, home)).status).toBe(202);
    },
  );

  describe("above them, what would start a run by itself", () => {
    const read = () => startFromEvents(running.database, { ...limits, perPerson: 2, perWorkspace: 3 });
    /** State and error of each run, the oldest first. */
    const begun = async (person: Person, home: World, agent: { id: string }) =>
      (await runsOf(person, home, agent)).reverse().map(({ state, error_code }) => error_code ?? state);
    const waysToStart = {
      mention: async (person: Person, task: { id: string }, agent: { username: string }) =>
        void (await newComment(person, task.id, `@${agent.username} look at this`)),
      assignment: async (person: Person, task: { id: string; revision: string }, agent: { actor_id: string }) => {
        const body = { assignee_actor_id: agent.actor_id };
        const assigned = await person.call("PATCH", `/tasks/${task.id}`, { body, ifMatch: task.revision });
        expect(assigned.status, assigned.text).toBe(200);
      },
    };

    test.each(Object.entries(waysToStart))("%s: ends as a failed run that says why", async (_, startBy) => {
      const { home, ada, bob } = await talkers(running);
      const project = await newProject(home);
      // Refused runs do not count: the last one begins within the hourly budget of the Agent.
      const agent = await custom(ada, home, { budgets: { runs_per_hour: 3 } });
      const tasks = await Promise.all([1, 2, 3, 4, 5].map(() => newTask(ada, project.id)));
      for (const task of tasks.slice(0, 4)) await startBy(bob, task, agent);
      await read();
      expect(await begun(bob, home, agent)).toEqual(["queued", "queued", "runs_exceeded", "runs_exceeded"]);
      await read();
      expect(await begun(bob, home, agent), "each cause once").toHaveLength(4);
      const refused = (await runsOf(bob, home, agent))[0];
      expect(refused).toMatchObject({ state: "failed", initiator_actor_id: bob.actorId, started_at: null });
      expect(refused.ended_at).not.toBeNull();
      await startBy(ada, tasks[4], agent);
      await read();
      expect((await begun(ada, home, agent)).at(-1), "another person").toBe("queued");
    });

    test("an event: counts for the Workspace alone", async () => {
      const { home, ada, bob } = await talkers(running);
      const project = await newProject(home);
      const agent = await custom(ada, home, { triggers: [{ kind: "event", action: "task.created" }] });
      // For the publisher of the Agent, who has as many runs as a person may.
      await say(ada, home, "One?");
      await say(ada, home, "Two?");
      for (let made = 0; made < 2; made++) await newTask(bob, project.id);
      await read();
      expect(await begun(ada, home, agent)).toEqual(["queued", "runs_exceeded"]);
    });
  });

  test.each(["an answer", "an event"])(
    "are counted by %s after it has locked its Agents, as a manual start does, so that the two cannot deadlock",
    async (starter) => {
      const { home, ada } = await talkers(running);
      const project = await newProject(home);
      const [first, second] = [await custom(ada, home), await custom(ada, home, { name: "Second" })];
      const { assistant_message, turn_id } = await say(ada, home, "One?");
      const task = await newTask(ada, project.id);
      await newComment(ada, task.id, `@${first.username} and @${second.username}, look at this`);
      const asAnswer = () =>
        inWorkspace(running.database.writer, home.workspaceId, (tx) =>
          startSpecialist(tx, limits, {
            actorId: ada.actorId,
            agent: second.name,
            input: "Look",
            cause: "discuss",
            parent: { runId: assistant_message.id, turnId: turn_id, credentialId: newId(), credentialKind: "session" },
          }),
        );
      const holder = new pg.Client(running.databaseUrl);
      await holder.connect();
      try {
        await holder.query("begin");
        await holder.query("select from agents where id = $1 for no key update", [second.id]);
        const starting = starter === "an answer" ? asAnswer() : startFromEvents(running.database, limits);
        const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await eventually(async () => expect(await running.asOwner(WAITING)).toHaveLength(1));
        const TRY = "select pg_try_advisory_xact_lock(hashtextextended('runs ' || $1, 0)) as free";
        expect((await holder.query(TRY, [home.workspaceId])).rows).toEqual([{ free: true }]);
        await holder.query("commit");
        await starting;
      } finally {
        await holder.end();
      }
    },
  );

  test("hold across processes", async () => {
    const { home, ada } = await talkers(running);
    const authorization = `Bearer ${await home.token(["svc:discuss"])}`;
    const other = await secondServer(running, { runLimits: { ...limits, perPerson: 2, perWorkspace: 3 } });
    try {
      const there = () =>
        fetch(`${other.url.replace("localhost", "127.0.0.1")}/api/v1${discussPath(home, "messages")}`, {
          method: "POST",
          headers: { authorization, "content-type": "application/json", "idempotency-key": newKey() },
          body: JSON.stringify({ content: "Hi?" }),
        });
      const sent = await Promise.all([ask(ada, home), there(), ask(ada, home), there(), ask(ada, home), there()]);
      expect(sent.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429, 429, 429]);
    } finally {
      await other.close();
    }
  });
});

describe("with the budget used up", () => {
  const running = service({
    roles: ["api", "worker", "realtime"],
    runLimits: { ...limits, turnsPerHour: 1 },
    ...provider.config,
  });

  test("an approval is taken when the budget is used up; a retry is not", async () => {
    const { home, ada } = await talkers(running);
    provider.say(
      { calls: [{ name: "remind", args: { text: "Oil", due_at: "2030-01-15T09:00:00Z" } }] },
      { status: 400 },
    );
    const { assistant_message } = await say(ada, home, "Remind me");
    const failed = await ended(ada, home, assistant_message.id);
    expect(failed.generation_error.code).toBe("model_unavailable");
    const [approval, retry] = ["approval", "recovery"].map((kind) =>
      partsOf(failed, "interaction").find(({ interaction_kind }) => interaction_kind === kind),
    );
    const refused = await decideOn(ada, home, retry, "choose", { choice_id: "retry" });
    expect([refused.status, refused.body.code]).toEqual([429, "turns_exceeded"]);
    expect((await decideOn(ada, home, approval)).status).toBe(200);
  });
});
