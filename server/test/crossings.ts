// Two people with different rights ask the same questions in every way in which words come out of what is written:
// passages, answers, a conversation with and without a model. A person without access learns no word of it, and no
// result depends on it: not which passages, in which order, at which version.
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexSearch } from "../src/knowledge/search/jobs.ts";
import type { Answer } from "./answer.ts";
import { newAttached } from "./attachments.ts";
import { discussPath, ended, type Message, say, talkers } from "./discuss.ts";
import { eventually } from "./eventually.ts";
import { knowing } from "./knowledge.ts";
import { documentIn, letAiIn } from "./mcp.ts";
import { pdfOf } from "./pdf.ts";
import { scriptedModel } from "./scripted-model.ts";
import { newComment, newProject, newTask } from "./work.ts";
import type { Person, World } from "./world.ts";

export const SUBJECTS = ["brass", "steel", "copper", "tin", "gold", "silver", "iron", "zinc", "lead", "nickel"];
export const ASKED = [
  ...["Who sells", "What does it cost:", "When do we buy", "Where is the stock of", "Wer liefert", "Was kostet"],
  ...["How much is", "Which day is for", "Who delivers", "What is said about", "Is there more", "Why at night:"],
  ...["From whom comes", "Wann kaufen wir", "Wo liegt", "Tell me of"],
];
/** Each is in one place alone, so that a leak says where it came from. */
const canary = (place: string, subject: string) => `canary${place}${subject}`;
const CANARY = /canary[a-z]+/gi;

const leaksIn = (told: unknown) => [...new Set(JSON.stringify(told).match(CANARY))];
/** Without what differs between two worlds: identities. */
const plain = (told: unknown) =>
  JSON.parse(
    JSON.stringify(told, (name, value) => (/^(?:id|result_version|revision)$/.test(name) ? undefined : value)),
  );
/** A model may answer too late, and then the sources answer. Asks again until the model answered all or none. */
const inSameMode = (...asks: (() => Promise<Answer>)[]) =>
  eventually(async () => {
    const answers = await Promise.all(asks.map((ask) => ask()));
    if (new Set(answers.map(({ body }) => body.mode)).size > 1) throw new Error("a model was late");
    return answers as [Answer, Answer];
  });

export interface Crossed {
  subjects: readonly string[];
  /** Asked of search and Knowledge; each names a subject. */
  questions: readonly string[];
  /** Said in each conversation. */
  said: readonly string[];
  /** Every so many questions are asked in the twin world too. */
  every: number;
}

/** Declares the tests: each question is asked in three ways, each sentence said by both with a model and without. */
export async function testCrossings({ subjects, questions, said, every }: Crossed) {
  const provider = await scriptedModel();
  const { running, ask, index, settings } = knowing({ roles: ["api", "worker", "realtime"], ...provider.config });
  afterAll(() => provider.close());

  let home: World;
  let ada: Person;
  let bob: Person;
  /** The same world without what is hidden, as far as Bob is concerned. */
  let twin: World;
  let bobInTwin: Person;

  async function fill(of: World, owner: Person, hidden: boolean) {
    const open = await newProject(of, { name: "Open" });
    const secret = await newProject(of, { name: "Secret", visibility: "private" });
    for (const subject of subjects) {
      await newTask(owner, open.id, {
        title: `Order ${subject}`,
        description_markdown: `We buy ${subject} from the harbour on Mondays. It costs nine a pound.`,
      });
      if (!hidden) continue;
      const say = (place: string) => `We buy ${subject} from ${canary(place, subject)} at night. It costs nothing.`;
      const task = await newTask(owner, secret.id, {
        title: `${subject} ${canary("title", subject)}`,
        description_markdown: say("description"),
      });
      await newComment(owner, task.id, say("comment"));
      await documentIn(of, {
        title: `${subject} ${canary("name", subject)}`,
        markdown: say("document"),
        project_id: secret.id,
      });
      const pdf = { filename: `${subject}.pdf`, content_type: "application/pdf" };
      if (subject === subjects[0]) await newAttached(owner, `/tasks/${task.id}`, pdfOf([[say("file")]]), pdf);
    }
    await settings(of, { included_projects: [open.id, secret.id] });
  }

  beforeAll(async () => {
    ({ home, ada, bob } = await talkers(running));
    const other = await talkers(running);
    [twin, bobInTwin] = [other.home, other.bob];
    await fill(home, ada, true);
    await fill(twin, other.ada, false);
    await index();
    await indexSearch(running.database);
  });

  test(`${3 * questions.length} crossings of search and Knowledge tell a person without access nothing`, async () => {
    provider.always((request) => ({
      text: [`${String(request.messages.at(-1).content).slice(0, 4000).replaceAll("\n", " ")} [1]`],
    }));
    const seen = new Set<string>();
    let crossings = 0;
    for (const [at, q] of questions.entries()) {
      const word = encodeURIComponent(q.split(" ").at(-1)?.replace("?", "") ?? "");
      const ways = [
        (person: Person, of = home) => ask(of, "search", q, person),
        (person: Person, of = home) => ask(of, "answer", q, person),
        (person: Person, of = home) => person.call("GET", `/workspaces/${of.workspaceId}/search?q=${word}`),
      ];
      for (const [way, asking] of ways.entries()) {
        // Who sees more has just asked, so that all of it is in memory.
        const [more, less] = [await asking(ada), await asking(bob)];
        for (const leak of leaksIn(more.body)) seen.add(leak);
        expect([less.status, leaksIn(less.body)], q).toEqual([200, []]);
        if (way < 2 && at % every === 0) {
          const [here, there] = await inSameMode(
            () => asking(bob),
            () => asking(bobInTwin, twin),
          );
          expect(plain(here.body), q).toEqual(plain(there.body));
        }
        crossings++;
      }
    }
    expect(crossings).toBe(3 * questions.length);
    // All of it was there to be found, also by the model.
    for (const place of ["title", "description", "comment", "document"])
      for (const subject of subjects) expect(seen, `${place} ${subject}`).toContain(canary(place, subject));
    expect(seen).toContain(canary("file", subjects[0] as string));
    expect(provider.asked.some(({ body }) => JSON.stringify(body).includes("canary"))).toBe(true);
  });

  /** What somebody's conversation says to all questions, its events and its run events. */
  async function conversation(person: Person, of: World): Promise<Message[]> {
    const turns = [];
    for (const q of said) turns.push(await say(person, of, q));
    const answers = [];
    for (const turn of turns) answers.push(await ended(person, of, turn.assistant_message.id));
    const events = (await person.call("GET", discussPath(of, "events"))).body;
    const runs = await person.call("GET", discussPath(of, `messages/${answers[0].id}/run-events`));
    return [...answers, events, runs.body];
  }

  test(`${2 * said.length} crossings of two conversations tell them nothing, with a model and without`, async () => {
    // The model says whatever the tools bring.
    provider.always((request) => {
      const last = request.messages.at(-1);
      if (last.role !== "tool") {
        const question = String(last.content);
        return {
          calls: [
            { name: "look_up", args: { question } },
            { name: "find", args: { query: question.replace("?", "").split(" ").at(-1) } },
          ],
        };
      }
      const tools = request.messages.slice(-2).map(({ content }: Message) => String(content));
      return { text: [`Found: ${tools.join(" ").slice(0, 30_000)}`] };
    });
    const [withModel, withModelHidden] = await Promise.all([conversation(ada, home), conversation(bob, home)]);
    expect(leaksIn(withModel).length).toBeGreaterThan(2 * said.length);
    expect(leaksIn(withModelHidden)).toEqual([]);
    await letAiIn(ada, home.workspaceId, false);
    const before = provider.asked.length;
    const [without, withoutHidden] = await Promise.all([conversation(ada, home), conversation(bob, home)]);
    expect(provider.asked.length).toBe(before);
    expect(leaksIn(without).length).toBeGreaterThan(said.length / 2);
    expect(leaksIn(withoutHidden)).toEqual([]);
    expect(withModelHidden.length + withoutHidden.length).toBe(2 * said.length + 4);
  });
}
