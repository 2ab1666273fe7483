// What is sent of an inbox: pushed at once and mailed at most once an hour, to whoever still belongs, sees it, wants it and has not read it.
import { afterAll, expect, test } from "vitest";
import { any, changeDocument, newDocument } from "../../test/documents.ts";
import { newInboxItem } from "../../test/inbox.ts";
import { lettersTo } from "../../test/mailbox.ts";
import { pushReceiver } from "../../test/push-receiver.ts";
import { startMailServer } from "../../test/smtp.ts";
import { joinProject, newComment, newProject, newTask } from "../../test/work.ts";
import { newKey, type Person, service, testConfig, testKeys, type World, world } from "../../test/world.ts";
import { deliverReminders } from "../discuss/reminder-jobs.ts";
import { openMail } from "../outside/mail.ts";
import type { Outside } from "../outside/outside.ts";
import { openPush } from "../outside/web-push.ts";
import { secretBox } from "../wire/secret-box.ts";
import { claimDigests, type DigestPayload, mailDigest, type PushPayload, pushItems } from "./delivery.ts";
import { tellEvents } from "./telling.ts";

const away = await pushReceiver();
afterAll(() => away.close());
const running = service({}, { egress: away.egress });
const secrets = secretBox(testKeys);
const outside = () =>
  ({
    mail: openMail(testConfig, running.database, secrets),
    push: openPush(testConfig, away.egress),
    secrets,
    origin: () => "https://svc.example.com",
  }) as unknown as Outside;

/** Takes the waiting jobs of this name out of the queue. */
const taken = async <Payload>(name: string): Promise<Payload[]> => {
  const { default: pg } = await import("pg");
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  const { rows } = await client.query(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t where t.id = j.task_id and t.identifier = $1 returning j.payload`,
    [name],
  );
  await client.end();
  return rows.map(({ payload }) => payload);
};
const push = async (jobs: PushPayload[]) => {
  for (const job of jobs) await pushItems(running.database, outside(), job, 1);
};
const mail = async (jobs: DigestPayload[]) => {
  for (const job of jobs) await mailDigest(running.database, outside(), job, 1);
};
/** What is news is old enough to be mailed. */
const later = (home: World, minutes = 6) =>
  running.sql(
    `with aged as (update inbox_items set newest_at = newest_at - $1 * interval '1 minute')
     update inbox_digests set sent_at = sent_at - $1 * interval '1 minute'`,
    [minutes],
    home.workspaceId,
  );
const digests = async (home: World) => {
  await later(home);
  await claimDigests(running.database);
  return taken<DigestPayload>("mail_digest");
};

async function place() {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home, { visibility: "private" });
  await joinProject(home, project.id, ada, "member");
  await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [ada.userId]);
  const assign = (title = "Cut the gears") =>
    newTask(home.owner, project.id, { title, assignee_actor_id: ada.actorId });
  const leave = () => home.owner.call("DELETE", `/projects/${project.id}/members/${ada.actorId}`);
  return { home, ada, project, assign, leave };
}
const reading = async (home: World, person: Person) => {
  const body = { read: true, all_before: new Date(Date.now() + 60_000).toISOString() };
  await person.call("POST", `/workspaces/${home.workspaceId}/inbox/read-state`, { body });
};
const browserOf = async (person: Person) => {
  const { subscription, open } = away.browser();
  expect((await person.call("PUT", "/me/push-endpoints/browser", { body: subscription })).status).toBe(204);
  const mine = new URL(subscription.endpoint).pathname;
  return () => away.pushed.filter((one) => one.path === mine).map(({ body }) => JSON.parse(open(body)));
};
const prefer = ({ workspaceId }: World, person: Person, category: string, body: object) =>
  person.call("PATCH", `/workspaces/${workspaceId}/notification-preferences/${category}`, { body, ifMatch: "0" });

test("one thing is pushed in its words and several in one message, to each browser of who wants it", async () => {
  const { home, ada, assign } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  const jobs = await taken<PushPayload>("push_inbox");
  expect(JSON.stringify(jobs)).not.toContain("gears");
  await push(jobs);
  const { display_name } = (await home.owner.call("GET", "/me")).body;
  expect(shown()).toEqual([
    {
      id: jobs[0]?.id,
      title: `${display_name} assigned ${task.code} to you`,
      body: "Cut the gears",
      path: `/?task=${task.code}`,
    },
  ]);
  for (let n = 0; n < 7; n++) await assign(`Task ${n}`);
  await newComment(home.owner, task.id, "So?");
  await tellEvents(running.database);
  await push(await taken("push_inbox"));
  expect(shown().slice(1)).toMatchObject([{ title: "8 new notifications" }]);
  await prefer(home, ada, "assigned", { push: false });
  await assign();
  await tellEvents(running.database);
  expect(await taken("push_inbox")).toEqual([]);
});

for (const [what, happen] of Object.entries({
  "has read it": ({ home, ada }) => reading(home, ada),
  "does not see it any more": ({ leave }) => leave(),
  "is suspended": ({ ada }) =>
    running.sql("update memberships set state = 'suspended' where user_id = $1", [ada.userId]),
  "has left": ({ ada }) => running.sql("update memberships set state = 'left' where user_id = $1", [ada.userId]),
  "does not want it any more": ({ home, ada }) => prefer(home, ada, "assigned", { push: false, email: false }),
  "is not its assignee any more": ({ home }) =>
    running.sql("update tasks set assignee_actor_id = null", [], home.workspaceId),
  "has it in the trash": ({ home }) => running.sql("update tasks set trashed_at = now()", [], home.workspaceId),
  "is in a Workspace that was archived": ({ home }) =>
    running.sql("update workspaces set archived_at = now() where id = $1", [home.workspaceId]),
} satisfies Record<string, (there: Awaited<ReturnType<typeof place>>) => Promise<unknown>>))
  test(`nothing is pushed or mailed to somebody who ${what} by the time it would be sent`, async () => {
    const there = await place();
    const { home, ada, assign } = there;
    const shown = await browserOf(ada);
    await assign();
    await tellEvents(running.database);
    const [pushes, mails] = [await taken<PushPayload>("push_inbox"), await digests(home)];
    expect([pushes.length, mails.length]).toEqual([1, 1]);
    await happen(there);
    await push(pushes);
    await mail(mails);
    expect([shown(), await lettersTo(running, ada.email)]).toEqual([[], []]);
  });

/** A Document without a Project that mentions Ada, who has been told, and what is to be sent of it. */
async function mentioning(title: string) {
  const there = await place();
  const { home, ada } = there;
  const shown = await browserOf(ada);
  const document = await newDocument(home, { title, markdown: `@${ada.userId}` });
  await tellEvents(running.database);
  return { ...there, shown, document, pushes: await taken<PushPayload>("push_inbox"), mails: await digests(home) };
}

test("a mention in a Document is pushed and mailed with its title, and leads to it", async () => {
  const { home, ada, shown, document, pushes, mails } = await mentioning("Gears \u202e& oil");
  await push(pushes);
  await mail(mails);
  const { display_name } = (await home.owner.call("GET", "/me")).body;
  const [title, path] = [`${display_name} mentioned you in \u2068Gears & oil\u2069`, `/?document=${document.id}`];
  expect(shown()).toEqual([{ id: pushes[0]?.id, title, body: document.path, path }]);
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.subject).toBe(title);
  expect(letter?.text).toContain(`${title}\n\u2068${document.path}\u2069\nhttps://svc.example.com${path}`);
});

test("a long title of a Document fits into a push", async () => {
  const { shown, pushes } = await mentioning("Long ".repeat(99));
  await push(pushes);
  expect([...shown()[0].title].length).toBe(300);
});

for (const [what, happen] of Object.entries({
  "is in the trash": ({ home, document }) => home.owner.call("DELETE", `/documents/${document.id}`, any),
  "was deleted for ever": async ({ home, document }) => {
    await home.owner.call("DELETE", `/documents/${document.id}`, any);
    return home.owner.call("DELETE", `/documents/${document.id}/permanent`, any);
  },
  "has moved into a private Project of others": async ({ home, document, project, leave }) => {
    await leave();
    return changeDocument(home.owner, document.id, { project_id: project.id });
  },
} satisfies Record<string, (there: Awaited<ReturnType<typeof mentioning>>) => Promise<{ status: number }>>))
  test(`nothing is pushed or mailed of a Document that ${what} by the time it would be sent`, async () => {
    const there = await mentioning("Gears");
    const { ada, shown, pushes, mails } = there;
    expect([pushes.length, mails.length]).toEqual([1, 1]);
    expect((await happen(there)).status).toBeLessThan(300);
    await push(pushes);
    await mail(mails);
    expect([shown(), await lettersTo(running, ada.email)]).toEqual([[], []]);
  });

test("a reminder is pushed and mailed in its own words, and names what it is about only to somebody who sees it", async () => {
  const { home, ada, assign, leave } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  await taken("push_inbox");
  await reading(home, ada);
  const target = { kind: "task", id: task.id };
  const body = { text: "Gears?", due_at: "2030-01-15T09:00:00Z", confirmed: true, target };
  const path = `/workspaces/${home.workspaceId}/discuss/reminders`;
  expect((await ada.call("POST", path, { body, key: newKey() })).status).toBe(201);
  await running.sql("update discuss_reminders set due_at = now()", [], home.workspaceId);
  await deliverReminders(running.database);
  const jobs = await taken<PushPayload>("push_inbox");
  expect(JSON.stringify(jobs)).not.toContain("Gears");
  await push(jobs);
  const title = "Reminder: \u2068Gears?\u2069";
  expect(shown()).toEqual([{ id: expect.any(String), title, body: "Cut the gears", path: `/?task=${task.code}` }]);
  await leave();
  await push(jobs);
  expect(shown().at(-1)).toEqual({ id: expect.any(String), title, body: "", path: "/" });
  await mail(await digests(home));
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.text).toContain(title);
  expect(letter?.text).not.toContain("Cut the gears");
});

test("a reminder about a Task that its person has muted is pushed all the same", async () => {
  const { home, ada, assign } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  await taken("push_inbox");
  expect((await ada.call("PUT", `/tasks/${task.id}/subscription/mute`)).status).toBeLessThan(300);
  const target = { kind: "task", id: task.id };
  const body = { text: "Gears?", due_at: "2030-01-15T09:00:00Z", confirmed: true, target };
  const path = `/workspaces/${home.workspaceId}/discuss/reminders`;
  expect((await ada.call("POST", path, { body, key: newKey() })).status).toBe(201);
  await running.sql("update discuss_reminders set due_at = now()", [], home.workspaceId);
  await deliverReminders(running.database);
  await push(await taken("push_inbox"));
  expect(shown().map(({ title }: { title: string }) => title)).toEqual(["Reminder: \u2068Gears?\u2069"]);
});

test("what is pushed is cut between characters", async () => {
  const { ada, assign } = await place();
  const shown = await browserOf(ada);
  await assign(`Oil ${"\u{1f6e2}".repeat(400)}`);
  await tellEvents(running.database);
  await push(await taken("push_inbox"));
  expect(shown()[0].body).toBe(`Oil ${"\u{1f6e2}".repeat(296)}`);
});

test("what is only sent is counted anew once it is on its way", async () => {
  const home = await world(running);
  const [pushed, mailed] = [await home.member("member"), await home.member("member")];
  await prefer(home, pushed, "commented", { in_app: false, push: true, email: false });
  await prefer(home, mailed, "commented", { in_app: false, push: false, email: true });
  const task = await newTask(home.owner, (await newProject(home)).id);
  for (const person of [pushed, mailed]) await person.call("PUT", `/tasks/${task.id}/subscription`);
  const counts = async () => {
    await newComment(home.owner, task.id);
    await tellEvents(running.database);
    const count = "select count from inbox_items where actor_id = $1";
    return Promise.all(
      [pushed, mailed].map(async ({ actorId }) => (await running.sql(count, [actorId], home.workspaceId))[0]),
    );
  };
  expect(await counts()).toEqual([{ count: 1 }, { count: 1 }]);
  expect(await counts()).toEqual([{ count: 1 }, { count: 2 }]);
  await running.sql("update inbox_items set mail_due = false", [], home.workspaceId);
  expect(await counts()).toEqual([{ count: 1 }, { count: 1 }]);
});

test("what stands in an inbox stays there when somebody wants what follows outside only", async () => {
  const { home, ada, assign } = await place();
  const task = await assign();
  const comment = async (text: string) => {
    await newComment(home.owner, task.id, text);
    await tellEvents(running.database);
    const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/inbox?category=commented`)).body;
    return items.map(({ excerpt, count }: { excerpt: string; count: number }) => [excerpt, count]);
  };
  expect(await comment("First")).toEqual([["First", 1]]);
  await prefer(home, ada, "commented", { in_app: false });
  expect(await comment("Second")).toEqual([["First", 1]]);
  const path = `/workspaces/${home.workspaceId}/notification-preferences/commented`;
  await ada.call("PATCH", path, { body: { in_app: true }, ifMatch: "1" });
  expect(await comment("Third")).toEqual([["Third", 2]]);
});

test("of a review that is over, and of a date that was kept or put off, nothing is sent", async () => {
  const { home, ada, project } = await place();
  const { body } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/statuses`);
  const status = (name: string) => body.items.find((one: { name: string }) => one.name === name).id;
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const about = async (category: string, name: string, due_date: string | null = null) => {
    const task = await newTask(home.owner, project.id, { status_id: status(name), due_date });
    await newInboxItem(running, home, ada.actorId, task.id, { category });
    return task.code;
  };
  const waiting = [await about("review_requested", "In Review"), await about("due_soon", "Todo", day(0))];
  await about("review_requested", "Done");
  await about("due_soon", "Done", day(0));
  await about("due_soon", "Cancelled", day(0));
  await about("due_soon", "Todo", day(9));
  await about("due_soon", "Todo");
  await prefer(home, ada, "due_soon", { email: true });
  await running.sql("update inbox_items set mail_due = true", [], home.workspaceId);
  await mail(await digests(home));
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.subject).toBe("2 new notifications");
  for (const code of waiting) expect(letter?.text).toContain(`${code} `);
});

test("what is unread is mailed in one letter an hour, once, to a proved address", async () => {
  const { home, ada, project, assign } = await place();
  const [task, second] = [await assign(), await assign("Oil <b>them</b>")];
  await running.sql("update users set display_name = 'Grace' where id = $1", [home.owner.userId]);
  await newComment(home.owner, task.id, `@${ada.userId} look\nhere`);
  await newComment(home.owner, task.id, "By default not mailed");
  await tellEvents(running.database);
  await claimDigests(running.database);
  expect(await taken("mail_digest"), "a moment old").toEqual([]);
  const jobs = await digests(home);
  await Promise.all([mail(jobs), claimDigests(running.database), claimDigests(running.database)]);
  await mail(jobs);
  expect(await taken("mail_digest")).toEqual([]);
  const [letter, ...others] = await lettersTo(running, ada.email);
  expect([others, letter?.subject]).toEqual([[], "3 new notifications"]);
  expect(letter?.text).toContain(
    `Grace mentioned you in ${task.code}\n\u2068@${ada.userId} look here\u2069\nhttps://svc.example.com/?task=${task.code}`,
  );
  expect(letter?.text).toContain(`Grace assigned ${second.code} to you\n\u2068Oil <b>them</b>`);
  expect(letter?.text).not.toContain("By default");
  expect(letter?.html).not.toContain("<b>them");
  expect(letter).toMatchObject({ unsubscribe: "https://svc.example.com/" });
  // Within the hour nothing; then only what is new.
  await assign("Third");
  await tellEvents(running.database);
  expect(await digests(home)).toEqual([]);
  await later(home, 50);
  await mail(await digests(home));
  const letters = await lettersTo(running, ada.email);
  expect(letters).toHaveLength(2);
  expect([letters[1]?.subject, letters[1]?.text.includes("Third")]).toEqual([
    expect.stringContaining("assigned"),
    true,
  ]);
  // Read before it is gathered: no job at all. And nobody without a proved address.
  await assign("Fourth");
  await tellEvents(running.database);
  await reading(home, ada);
  await later(home, 70);
  expect(await digests(home)).toEqual([]);
  const bob = await home.member("member");
  await running.sql("update users set email_verified_at = now() where id = $1", [bob.userId]);
  await joinProject(home, project.id, bob, "member");
  await newTask(home.owner, project.id, { assignee_actor_id: bob.actorId });
  await tellEvents(running.database);
  const unproved = await digests(home);
  expect(unproved).toHaveLength(1);
  await mail(unproved);
  expect(await lettersTo(running, bob.email)).toEqual([]);
});

test("a mail server that is away is tried again, with what holds then, and given up after eight attempts", async () => {
  const { home, ada, assign } = await place();
  await assign();
  await tellEvents(running.database);
  const [job] = (await digests(home)) as [DigestPayload];
  const down = { ...outside(), mail: { send: () => Promise.reject(new Error("away")) } };
  await expect(mailDigest(running.database, down, job, 1)).rejects.toThrow("away");
  await mailDigest(running.database, down, job, 8);
  await reading(home, ada);
  await mail([job]);
  expect(await lettersTo(running, ada.email)).toEqual([]);
});

test("what a mail server was away for too long for goes with the next mail, as long as it is news", async () => {
  const { home, ada, assign } = await place();
  await assign("First");
  await assign("Second");
  await tellEvents(running.database);
  const [job] = (await digests(home)) as [DigestPayload];
  const down = { ...outside(), mail: { send: () => Promise.reject(new Error("away")) } };
  await running.sql(
    "update inbox_items set read_at = now(), gathering = false where task_id in (select id from tasks where title = 'Second')",
    [],
    home.workspaceId,
  );
  await mailDigest(running.database, down, job, 8);
  await later(home, 70);
  const [next, ...others] = (await digests(home)) as [DigestPayload];
  await mail([next, job]);
  const letters = await lettersTo(running, ada.email);
  expect([others, letters.map(({ text }) => [text.includes("First"), text.includes("Second")])]).toEqual([
    [],
    [[true, false]],
  ]);
  await reading(home, ada);
  await assign("Third");
  await tellEvents(running.database);
  await later(home, 70);
  const old = (await digests(home)) as [DigestPayload];
  await later(home, 24 * 60);
  await mailDigest(running.database, down, old[0], 8);
  expect(await digests(home)).toEqual([]);
});

test("a letter that the mail server refuses for good is not tried again", async () => {
  const { home, assign } = await place();
  await assign();
  await tellEvents(running.database);
  const [job] = (await digests(home)) as [DigestPayload];
  const server = await startMailServer();
  const post = openMail({ ...testConfig, smtpUrl: server.url }, running.database, secrets);
  const sending = (refuseWith: number, attempts: number) => {
    server.refuseWith = refuseWith;
    return mailDigest(running.database, { ...outside(), mail: post }, job, attempts);
  };
  await expect(sending(450, 1)).rejects.toThrow("delivery_unavailable");
  await sending(550, 2);
  await later(home, 70);
  expect(await digests(home)).toEqual([]);
  post.close();
  await server.stop();
});
