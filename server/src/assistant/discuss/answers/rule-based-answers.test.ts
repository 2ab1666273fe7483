// Rule-based answers, without a model: plain requests are understood in English and German, and anything else is
// searched and quoted. Every quoted sentence occurs in its source.
import { describe, expect, test } from "vitest";
import { newAttachment, privateUploads } from "../../../../test/attachments.ts";
import { answerTo, decideOn, discussPath, ended, partsOf, talkers } from "../../../../test/discuss.ts";
import { eventually } from "../../../../test/eventually.ts";
import { KEYS, letKnow } from "../../../../test/knowledge.ts";
import { documentIn, taskByCode } from "../../../../test/mcp.ts";
import { newProject, newTask } from "../../../../test/work.ts";
import { newKey, service } from "../../../../test/world.ts";
import { indexSearch } from "../../../knowledge/search/jobs.ts";
import { intents, understood } from "../language/intents.ts";
import { reminderIn } from "../language/reminder-words.ts";

const running = service({ roles: ["api", "worker", "realtime"] });

describe("a plain request", () => {
  const phrases: [string, string, string][] = [
    ["overdue", "What is overdue?", "Meine überfälligen Aufgaben"],
    ["assigned", "my tasks", "Zeig mir meine Aufgaben"],
    ["dueSoon", "What is due soon?", "Was ist bald fällig?"],
    ["inbox", "What's new?", "Was gibt es Neues?"],
    ["changedSince", "What changed since yesterday?", "Was hat sich seit gestern geändert?"],
    ["show", "show ENG-1", "Zeige ENG-1"],
    ["summarise", "Summarize ENG-1.", "Fasse ENG-1 zusammen"],
    ["move", "move ENG-1 to In Review", "Verschiebe ENG-1 nach In Review"],
    ["assign", "assign ENG-1 to me", "Weise ENG-1 mir zu"],
    ["dueOn", "set the due date of ENG-1 to tomorrow", "Setze das Fälligkeitsdatum von ENG-1 auf morgen"],
    ["create", 'create task "Oil the gears" in ENG', "Erstelle eine Aufgabe „Zahnräder ölen“ in ENG"],
    ["comment", "comment on ENG-1: Done soon.", "Kommentiere ENG-1: Bald fertig."],
    ["remind", "Remind me tomorrow at 9 to call Grace", "Erinnere mich morgen um 9 an den Anruf"],
    ["askAgent", "Ask Triage to look at ENG-1", "Frage Triage: Was ist mit ENG-1?"],
  ];
  test("of each of the fourteen is understood in both languages, and a question is none", () => {
    expect(phrases.map(([intent]) => intent)).toEqual(Object.keys(intents));
    for (const [intent, english, german] of phrases)
      expect([understood(english)?.intent, understood(german)?.intent], english).toEqual([intent, intent]);
    expect(understood("move ENG-1 to In Review")?.said).toMatchObject({ code: "ENG-1", status: "In Review" });
    expect(understood("Weise ENG-1 mir zu")?.said).toMatchObject({ code: "ENG-1", person: "mir" });
    for (const other of [
      "Why is the engine late?",
      "Wer schneidet die Zahnräder?",
      "ENG-1 is late because of brass",
      "Remind me who cuts gears",
    ])
      expect(understood(other), other).toBeNull();
  });

  test("lists, and tells in the language that it was asked in", async () => {
    const { home, ada } = await talkers(running);
    const project = await newProject(home);
    const late = await newTask(ada, project.id, {
      title: "Cut the gears",
      assignee_actor_id: ada.actorId,
      due_date: "2020-01-01",
    });
    await newTask(ada, project.id, { title: "Not mine", due_date: "2020-01-01" });
    const answer = await answerTo(ada, home, "Was ist überfällig?");
    expect(answer.content).toMatch(new RegExp(`^Überfällig:\\n- ${late.code} Cut the gears .*fällig 2020-01-01\\)$`));
    expect(partsOf(answer, "entity_references")[0].references).toEqual([
      { kind: "task", id: late.id, code: late.code },
    ]);
    expect((await answerTo(ada, home, "my tasks")).content).toContain("Assigned to you:");
  });

  test("that changes something becomes a proposal, and happens when it is approved", async () => {
    const { home, ada } = await talkers(running);
    const project = await newProject(home);
    const task = await newTask(ada, project.id);
    const answer = await answerTo(ada, home, `move ${task.code} to In Progress`);
    expect(answer.content).toContain("Nothing has changed yet");
    const [part] = partsOf(answer, "interaction");
    expect(part.interaction_kind).toBe("approval");
    const decided = await decideOn(ada, home, part);
    expect(decided.status, decided.text).toBe(200);
    await ended(ada, home, decided.body.assistant_message.id);
    expect((await taskByCode(home, task.code)).started_at).not.toBeNull();
    expect((await answerTo(ada, home, `move ${task.code} to Nowhere`)).content).toContain("must be one of");
    expect((await answerTo(ada, home, `create task "Oil the gears" in ${project.key}`)).content).toContain(
      "Oil the gears",
    );
    expect((await answerTo(ada, home, "move NOPE-1 to Done")).content).toContain("not_found");
  });

  test("that could mean several people asks which", async () => {
    const { home, ada } = await talkers(running);
    const task = await newTask(ada, (await newProject(home)).id);
    await home.member("member");
    const answer = await answerTo(ada, home, `assign ${task.code} to Person`);
    const [part] = partsOf(answer, "interaction");
    expect([part.interaction_kind, part.choices.length]).toEqual(["ambiguity", 3]);
    const choice_id = part.choices[1].id;
    const decided = await decideOn(ada, home, part, "choose", { choice_id });
    const next = await ended(ada, home, decided.body.assistant_message.id);
    expect(partsOf(next, "interaction")[0].interaction_kind).toBe("approval");
  });
});

describe("a reminder", () => {
  const now = Date.parse("2026-11-17T08:45:00Z");
  test.each([
    ["tomorrow at 9 to call Grace", "call Grace", "2026-11-18T08:00"],
    ["to call Grace tomorrow at 9", "call Grace", "2026-11-18T08:00"],
    ["morgen um 9 Uhr an die Zahnräder", "die Zahnräder", "2026-11-18T08:00"],
    ["daran, morgen um 9 Grace anzurufen", "Grace anzurufen", "2026-11-18T08:00"],
    ["an die Miete am 1.12. um 8", "die Miete", "2026-12-01T07:00"],
    ["in 2 hours to stretch", "stretch", "2026-11-17T10:45"],
    ["in einer Stunde an Tee", "Tee", "2026-11-17T09:45"],
    ["next Tuesday about ENG-1", "ENG-1", "2026-11-24T08:00"],
    ["at 5pm to leave", "leave", "2026-11-17T16:00"],
    ["um 9:15 an Brot", "Brot", "2026-11-18T08:15"],
    [
      "on 2027-03-28 at 2:30 to see that the clocks were put forward",
      "see that the clocks were put forward",
      "2027-03-28T01:30",
    ],
  ])("%s", (words, text, due) => {
    expect(reminderIn(words, "Europe/Berlin", now)).toEqual({ text, due_at: `${due}:00.000Z` });
  });
  test.each(["tomorrow", "someday to rest", "am 31.11. an nichts", "at 25 to rest", "at 13pm to rest"])(
    "is not understood: %s",
    (words) => expect(reminderIn(words, "Europe/Berlin", now)).toBeNull(),
  );

  test("is set in the time zone of who asks, by their own words, and about the Task that they name", async () => {
    const { home, ada } = await talkers(running);
    const task = await newTask(ada, (await newProject(home)).id, { title: "Cut the gears" });
    await ada.call("PATCH", discussPath(home, "preferences"), {
      body: { timezone: "Asia/Tokyo", follow_account_timezone: false },
      ifMatch: "0",
    });
    const answer = await answerTo(ada, home, `Remind me tomorrow at 9 about ${task.code}`);
    expect(answer.content).toMatch(/^I will remind you on .*09:00 \(Asia\/Tokyo\): /);
    const german = await answerTo(ada, home, "Erinnere mich übermorgen um 9 Uhr an den Anruf bei ABC-1");
    expect(german.content).toMatch(/^Ich erinnere dich am .*09:00 \(Asia\/Tokyo\): den Anruf/);
    expect((await answerTo(ada, home, "remind me someday to rest")).content).toContain("did not understand when");
    const { items } = (await ada.call("GET", discussPath(home, "reminders"))).body;
    expect(items).toMatchObject([
      { text: task.code, target: { kind: "task", id: task.id } },
      { text: "den Anruf bei ABC-1", target: null },
    ]);
    for (const { due_at } of items) expect(due_at).toMatch(/T00:00:00.000Z$/);
  });
});

test("a question is answered with sentences that stand in what its asker can read, and with nothing where there is nothing", async () => {
  const { home, ada, bob } = await talkers(running);
  const hidden = await newProject(home, { visibility: "private" });
  await documentIn(home, {
    title: "Brass",
    markdown: "# Brass\n\nBrass does not rust. It is poured at 940 degrees. Steel is cheaper.",
  });
  await documentIn(home, {
    title: "Canary",
    markdown: "Brass is bought from the secret canary supplier.",
    project_id: hidden.id,
  });
  await indexSearch(running.database);
  const answer = await answerTo(ada, home, "Does brass rust?");
  expect(answer.content).toContain("> Brass does not rust.");
  expect(answer.content).toContain("Brass (brass)");
  expect((await answerTo(ada, home, "Who sells brass?")).content).toContain("canary supplier");
  for (const question of ["Does brass rust?", "Who sells brass?"])
    expect((await answerTo(bob, home, question)).content).not.toContain("canary");
  expect((await answerTo(bob, home, "Where is Atlantis?")).content).toContain("I found nothing");
});

test("where Knowledge has an index, what is near in meaning is quoted with links to where it stands, to whoever sees it", async () => {
  const { home, ada, bob } = await talkers(running);
  const project = await newProject(home, { visibility: "private" });
  await documentIn(home, { title: "Handbook", markdown: KEYS, project_id: project.id });
  const task = await newTask(ada, project.id, {
    title: "Replace the boiler",
    description_markdown: "The heating in the office is broken.",
  });
  await letKnow(running, home, { included_projects: [project.id] });
  // If Knowledge has no time on a busy machine, the words alone are searched.
  const quotes = (question: string, passage: string) =>
    eventually(async () => {
      const answer = await answerTo(ada, home, question);
      expect(answer.content).toContain(passage);
      return answer;
    });
  await quotes(
    "When are the signing keys rotated?",
    "> Keys are rotated on the first Monday of a quarter.\n\n— [Handbook](/workspaces/",
  );
  const cold = await quotes(
    "Is the heating of the office broken?",
    `> The heating in the office is broken.\n\n— [${task.code} Replace the boiler](`,
  );
  expect(partsOf(cold, "task_result")).toMatchObject([{ task_id: task.id, task_code: task.code, reason: "quoted" }]);
  // Who does not see the Project finds nothing.
  for (const question of ["When are the signing keys rotated?", "Is the heating of the office broken?"])
    expect((await answerTo(bob, home, question)).content).toContain("I found nothing");
});

test("a file that was sent is quoted, or how it begins; what has no text is said to have none", async () => {
  const { home, ada } = await talkers(running);
  const send = async (text: string, own = {}) =>
    (await newAttachment(ada, Buffer.from(text), own, privateUploads(home.workspaceId))).id as string;
  const about = async (content: string, file_ids: string[]) => {
    const { body } = await ada.call("POST", discussPath(home, "turns"), { body: { content, file_ids }, key: newKey() });
    return (await ended(ada, home, body.assistant_message.id)).content as string;
  };
  const notes = await send("The wheels are of brass. Forty were cut. Nobody has oiled them.", {
    filename: "notes.txt",
    content_type: "text/plain",
  });
  expect(await about("Who oiled what?", [notes])).toBe(
    "This is what stands in what you sent:\n\n> Nobody has oiled them.\n\n— notes.txt",
  );
  expect(await about("", [notes])).toContain("> The wheels are of brass.\n>\n> Forty were cut.");
  const other = await send("{}", { filename: "data.json", content_type: "application/json" });
  expect(await about("", [other])).toMatch(/^I can read text, Word and PDF files/);
});
