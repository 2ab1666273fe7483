// The storm over runs: people ask the assistant for changes at two servers, which are killed in turn while answers are made. In the end every question is answered in its order, each
// change was made once, and no text is there twice. The model is a scripted one, which is never killed. Bounded in count and time; it kills only the servers that it starts.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/database/migrate.ts";
import { newId } from "../../server/src/wire/ids.ts";
import { type Request, scriptedModel } from "../../server/test/scripted-model.ts";
import { type Data, fill } from "../data.ts";
import { ownerOn } from "../lifecycle.ts";
import { type Verdict, violations } from "./check.ts";
import { Server } from "./killable.ts";
import { randomOf } from "./random.ts";
import type { Outcome } from "./storm.ts";

export interface Runs {
  databaseUrl: string;
  seed: number;
  faults: number;
  /** Who ask, one question after the other. */
  people: number;
  limitMs: number;
  progress?: (faults: number, cut: number) => void;
}
interface Question {
  word: string;
  messageId: string;
}
interface Message {
  generation_state: string;
  generation_error: { code: string } | null;
  content: string;
}

const [LEAST_MS, MOST_MS] = [400, 1500];
/** A run of a server that was killed goes on after 15 to 25 seconds. */
const PATIENCE_MS = 120_000;
const MADE =
  "select title, count(*)::int as count from tasks where workspace_id = $1 and title like 'made %' group by title";

/** Makes what was asked for, and then says so, word by word. */
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

export async function underRuns(options: Runs): Promise<Outcome> {
  const began = performance.now();
  const { databaseUrl, seed } = options;
  const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
  chmodSync(directory, 0o711);
  const provider = await scriptedModel();
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, DATABASE_URL: databaseUrl, DATA_DIR: join(directory, "data"), PORT: "0", ROLES: "api,worker" },
    ...{
      RATE_LIMITS: "off",
      LOG_LEVEL: "fatal",
      ...provider.env,
      ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
    },
  };
  const servers = [new Server(["server/src/main.ts"], env), new Server(["server/src/main.ts"], env)] as const;
  const found = Object.fromEntries(violations.map((name) => [name, []])) as unknown as Verdict["found"];
  const [broken, back]: [string[], number[]] = [[], []];
  const random = randomOf(seed, "runs");
  const client = new pg.Client(databaseUrl);
  let [faults, over, underWay] = [0, false, 0];
  const asked: Question[][] = [];
  const port = () => servers.find((server) => server.port !== null)?.port ?? null;
  /** Again until a server answers: what is sent has a key. */
  const persist = async <T>(data: Data, work: (person: ReturnType<typeof ownerOn>) => Promise<T>): Promise<T> => {
    for (const until = performance.now() + PATIENCE_MS; ; await sleep(50)) {
      const at = port();
      try {
        if (at !== null) return await work(ownerOn(at, data));
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  };
  const ended = (data: Data, { messageId }: Question) =>
    persist(data, async (person) => {
      const message = await person<Message>("GET", `discuss/messages/${messageId}`);
      if (!["completed", "failed"].includes(message.generation_state))
        throw new Error(`${messageId} is never answered`);
      return message;
    });
  /** Two questions wait behind the one that is answered. */
  const ask = async (data: Data, questions: Question[]) => {
    for (let number = 0; !over; number++) {
      const [word, key] = [`${asked.indexOf(questions)}-${number}`, newId()];
      const { assistant_message } = await persist(data, (person) =>
        person<{ assistant_message: { id: string } }>(
          ...(["POST", "discuss/messages", { content: `make ${word}` }, { "idempotency-key": key }] as const),
        ),
      );
      questions.push({ word, messageId: assistant_message.id });
      if (questions.length > 2) await ended(data, questions.at(-3) as Question);
    }
  };
  try {
    await migrate(databaseUrl);
    await client.connect();
    const data = await fill(databaseUrl, [10], "RUN");
    const { key } = (await client.query("select key from projects where id = $1", [data.projectIds[0]])).rows[0];
    provider.always(script(key));
    for (const server of servers) await server.start();
    const people = data.people.slice(0, options.people).map((person) => ({ ...data, people: [person] }));
    for (const person of people)
      await persist(person, (call) => call("PATCH", "discuss/preferences", { opt_in: true }, { "if-match": '"0"' }));
    const asking = people.map((person) => {
      const questions: Question[] = [];
      asked.push(questions);
      return ask(person, questions).catch((error) => void broken.push((error as Error).message));
    });
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      const struck = [[servers[0]], [servers[1]], [...servers]][faults % 3] as Server[];
      underWay += (await client.query("select count(*)::int as n from discuss_runs where state = 'running'")).rows[0].n;
      await Promise.all(struck.map((server) => server.kill()));
      const since = performance.now();
      await Promise.all(struck.map((server) => server.start()));
      back.push(performance.now() - since);
      options.progress?.(faults + 1, underWay);
    }
    over = true;
    await Promise.all(asking);
    for (const [at, questions] of asked.entries())
      for (const question of questions) {
        const { word } = question;
        const message = await ended(people[at] as Data, question);
        if (message.generation_state !== "completed")
          found["writes never answered"].push(`${word}: ${message.generation_error?.code}`);
        else if (message.content !== answerFor(word)) found["answers that differ"].push(`${word}: ${message.content}`);
      }
    const made = new Map((await client.query(MADE, [data.workspaceId])).rows.map(({ title, count }) => [title, count]));
    for (const { word } of asked.flat()) {
      const count = made.get(`made ${word}`) ?? 0;
      if (count === 0) found["acknowledged writes lost"].push(`made ${word}`);
      if (count > 1) found["effects duplicated"].push(`made ${word}: ${count} times`);
    }
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    over = true;
    await Promise.all(servers.map((server) => server.kill()));
    provider.close();
    await client.end();
    rmSync(directory, { recursive: true, force: true });
  }
  const questions = asked.flat().length;
  return {
    ...{ found, broken, back, faults, directory, cut: underWay, killsDuringStart: 0, seen: {} },
    counts: { "questions answered": questions, "  runs at work when a server was killed": underWay },
    ended: servers.flatMap((server) => server.ended),
    enough: faults >= options.faults && questions > 0 && underWay > 0,
    seconds: (performance.now() - began) / 1000,
  };
}
