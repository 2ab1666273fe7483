// People who ask the assistant for changes, one question after the other, at any server that is up. At the end every
// question must be answered in order, each change made once, and no text stored twice. The model is scripted and is
// never killed.
import type pg from "pg";
import { newId } from "../../server/src/platform/wire/ids.ts";
import { type Request, type ScriptedModel, scriptedModel } from "../../server/test/scripted-model.ts";
import type { Data } from "../data.ts";
import type { Verdict } from "./check.ts";
import type { Site } from "./site.ts";

interface Question {
  word: string;
  messageId: string;
}
interface Message {
  generation_state: string;
  generation_error: { code: string } | null;
  content: string;
}
const MADE =
  "select title, count(*)::int as count from tasks where workspace_id = $1 and title like 'made %' group by title";
const AT_WORK = "select count(*)::int as count from discuss_runs where state = 'running'";

/** Makes the requested change, then reports it word by word. */
function script(key: string) {
  return ({ messages }: Request) => {
    const word = /make ([\d-]+)/.exec(
      JSON.stringify(messages.findLast(({ role }: Request) => role === "user").content),
    )?.[1];
    if (messages.at(-1).role === "tool") return { text: ["Made ", `${word}`, "."], pauseMs: 60 };
    const calls = [{ name: "create_task", args: { project: key, title: `made ${word}` } }];
    return { text: ["I ", "make ", "it."], pauseMs: 60, calls };
  };
}
const answerFor = (word: string) => `I make it.\n\nMade ${word}.`;

/** Starts the model; returns it with the settings of servers that use it. */
export async function startModel(): Promise<{ model: ScriptedModel; settings: Record<string, string> }> {
  const model = await scriptedModel();
  const limits = { DISCUSS_TURNS_PER_HOUR: "1000", RUNS_PER_PERSON: "1000", RUNS_PER_WORKSPACE: "1000" };
  return { model, settings: { ...limits, ...model.env } };
}

/** `pauseMs`: pause between two questions of one person. */
export async function askQuestions(
  client: pg.Pool,
  site: Site,
  data: Data,
  model: ScriptedModel,
  { people: count, pauseMs = 0 }: { people: number; pauseMs?: number },
) {
  const { key } = (await client.query("select key from projects where id = $1", [data.projectIds[0]])).rows[0];
  model.always(script(key));
  const people = data.people.slice(0, count).map((person) => ({ ...data, people: [person] }));
  for (const person of people)
    await site.persist(person, (call) => call("PATCH", "discuss/preferences", { opt_in: true }, { "if-match": '"0"' }));
  const asked: Question[][] = people.map(() => []);
  const failed: string[] = [];
  let over = false;
  const ended = (person: Data, { messageId }: Question) =>
    site.persist(person, async (call) => {
      const message = await call<Message>("GET", `discuss/messages/${messageId}`);
      if (!["completed", "failed"].includes(message.generation_state))
        throw new Error(`${messageId} is never answered`);
      return message;
    });
  /** Up to two questions are queued behind the one that is being answered. */
  async function ask(person: Data, at: number) {
    const questions = asked[at] as Question[];
    for (let number = 0; !over; number++) {
      const [word, own] = [`${at}-${number}`, newId()];
      const { assistant_message } = await site.persist(person, (call) =>
        call<{ assistant_message: { id: string } }>(
          ...(["POST", "discuss/messages", { content: `make ${word}` }, { "idempotency-key": own }] as const),
        ),
      );
      questions.push({ word, messageId: assistant_message.id });
      if (questions.length > 2) await ended(person, questions.at(-3) as Question);
      if (pauseMs > 0) await new Promise((rested) => setTimeout(rested, pauseMs));
    }
  }
  const asking = people.map((person, at) =>
    ask(person, at).catch((error) => void failed.push((error as Error).message)),
  );
  return {
    /** Number of runs that a server is working on. */
    underWay: async () => (await client.query(AT_WORK)).rows[0].count as number,
    get count() {
      return asked.flat().length;
    },
    stop() {
      over = true;
    },
    /** Waits for the last answer. Returns the broken rules. */
    async judge(found: Verdict["found"]): Promise<string[]> {
      over = true;
      await Promise.all(asking);
      for (const [at, questions] of asked.entries())
        for (const question of questions) {
          const { word } = question;
          const message = await ended(people[at] as Data, question);
          if (message.generation_state !== "completed")
            found["writes never answered"].push(`${word}: ${message.generation_error?.code}`);
          else if (message.content !== answerFor(word))
            found["answers that differ"].push(`${word}: ${message.content}`);
        }
      const { rows } = await client.query(MADE, [data.workspaceId]);
      const made = new Map(rows.map(({ title, count: times }) => [title, times as number]));
      for (const { word } of asked.flat()) {
        const times = made.get(`made ${word}`) ?? 0;
        if (times === 0) found["acknowledged writes lost"].push(`made ${word}`);
        if (times > 1) found["effects duplicated"].push(`made ${word}: ${times} times`);
      }
      return failed;
    },
  };
}
