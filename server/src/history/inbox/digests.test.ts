// Mails of an inbox: at most one an hour, with what holds when it is sent, and what a mail server refuses.
import { expect, test } from "vitest";
import { inboxDelivery } from "../../../test/inbox-delivery.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { startMailServer } from "../../../test/smtp.ts";
import { joinProject, newComment, newTask } from "../../../test/work.ts";
import { testConfig } from "../../../test/world.ts";
import { openMail } from "../../platform/outside/mail.ts";
import { claimDigests, type DigestPayload, mailDigest } from "./delivery.ts";
import { tellEvents } from "./fill-inboxes.ts";

const { running, secrets, outside, taken, mail, later, digests, place, reading } = await inboxDelivery();

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
    `Grace mentioned you in ${task.code}\n\u2068@${ada.userId} look ` +
      `here\u2069\nhttps://svc.example.com/?task=${task.code}`,
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
    `update inbox_items set read_at = now(), gathering = false
      where task_id in (select id from tasks where title = 'Second')`,
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
