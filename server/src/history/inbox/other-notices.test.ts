// What an inbox tells beside work is sent as everything else is: pushed at once and mailed, to whom it is for, in its
// own words, and not once it is settled.
import { afterAll, expect, test } from "vitest";
import { lettersTo } from "../../../test/mailbox.ts";
import { pushReceiver } from "../../../test/push-receiver.ts";
import { type Person, service, testConfig, testKeys, type World, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { openMail } from "../../platform/outside/mail.ts";
import { openPush } from "../../platform/outside/web-push.ts";
import { newId } from "../../platform/wire/ids.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { settleAbout, tellAbout } from "./change.ts";
import { type DigestPayload, mailDigest, type PushPayload, pushItems } from "./delivery.ts";

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
  }) as unknown as ExternalSystems;

async function watched(home: World, role: "admin" | "member") {
  const person = await home.member(role);
  await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [
    person.userId,
  ]);
  const { subscription, open } = away.browser();
  await person.call("PUT", "/me/push-endpoints/browser", { body: subscription });
  const mine = new URL(subscription.endpoint).pathname;
  const pushed = () => away.pushed.filter((one) => one.path === mine).map(({ body }) => JSON.parse(open(body)));
  return { person, pushed };
}
const asked = (from: Person, more: object = {}) => ({
  category: "request_received" as const,
  event_type: "integration_request.created",
  from_actor_id: from.actorId,
  about_kind: "integration_request" as const,
  about_id: newId(),
  about_name: "GitLab",
  about_note: "For builds",
  actor_ids: null,
  ...more,
});
const within = ({ workspaceId }: World, work: Parameters<typeof inWorkspace<unknown>>[2]) =>
  inWorkspace(running.database.writer, workspaceId, work);
const jobsOf = ({ actorId }: Person) =>
  running.asOwner<{ payload: PushPayload }>(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'push_inbox' and j.payload ->> 'actor_id' = $1 order by j.id`,
    [actorId],
  );
const push = async (person: Person) => {
  for (const { payload } of await jobsOf(person)) await pushItems(running.database, outside(), payload, 1);
};
/** As if a digest had gathered what is to be mailed. */
async function mail({ workspaceId }: World, { actorId }: Person) {
  const job: DigestPayload = { id: newId(), workspace_id: workspaceId, actor_id: actorId };
  const gather = "update inbox_items set mail_due = false, digest_id = $1 where actor_id = $2 and mail_due";
  await running.sql(gather, [job.id, actorId], workspaceId);
  await mailDigest(running.database, outside(), job, 1);
}

test("a request is pushed and mailed to those who manage the Workspace, with its note, and to nobody else", async () => {
  const home = await world(running);
  const [admin, member] = [await watched(home, "admin"), await watched(home, "member")];
  await within(home, (tx) => tellAbout(tx, [asked(member.person)]));
  const { display_name } = (await member.person.call("GET", "/me")).body;
  for (const { person } of [admin, member]) await push(person);
  expect(admin.pushed()).toMatchObject([{ body: "For builds", path: "/" }]);
  expect(admin.pushed()[0].title).toContain(`${display_name} asks for`);
  expect(member.pushed()).toEqual([]);
  for (const { person } of [admin, member]) await mail(home, person);
  const [letter] = await lettersTo(running, admin.person.email);
  expect(letter?.text).toContain("GitLab");
  expect(letter?.text).toContain("For builds");
  expect(await lettersTo(running, member.person.email)).toEqual([]);
});

test("what was settled meanwhile, and what somebody may not see any more, is not sent", async () => {
  const home = await world(running);
  const [settled, demoted] = [await watched(home, "admin"), await watched(home, "admin")];
  const [one, other] = [
    asked(home.owner, { actor_ids: [settled.person.actorId] }),
    asked(home.owner, { actor_ids: [demoted.person.actorId] }),
  ];
  await within(home, (tx) => tellAbout(tx, [one, other]));
  await within(home, (tx) => settleAbout(tx, [one.about_id], "request_received"));
  const demote = "update memberships set role = 'member' where actor_id = $1";
  await running.sql(demote, [demoted.person.actorId], home.workspaceId);
  for (const { person, pushed } of [settled, demoted]) {
    expect(await jobsOf(person)).toHaveLength(1);
    await push(person);
    await mail(home, person);
    expect([pushed(), await lettersTo(running, person.email)]).toEqual([[], []]);
  }
});

test("each decision, and a disabled endpoint, has words of its own", async () => {
  const home = await world(running);
  const admin = await watched(home, "admin");
  const actor_ids = [admin.person.actorId];
  const decided = { category: "request_decided" as const, about_note: null, actor_ids };
  const words = {
    "integration_request.closed": "It is connected, as you asked",
    "integration_request.declined": "Your request was declined",
    "agent_request.approved": "Your request was approved",
    "agent_request.rejected": "Your request was rejected",
  };
  for (const event_type of Object.keys(words))
    await within(home, (tx) => tellAbout(tx, [asked(home.owner, { ...decided, event_type })]));
  const disabled = { category: "webhook_disabled", event_type: "webhook_endpoint.disabled", about_name: "Reports" };
  await within(home, (tx) => tellAbout(tx, [asked(home.owner, { ...disabled, about_note: null, actor_ids })]));
  await push(admin.person);
  const titles = admin.pushed().map(({ title }) => title.replaceAll(/[\u2066-\u2069]/g, ""));
  expect(titles).toEqual([
    ...Object.values(words).map((text) => `${text}: GitLab`),
    "The webhook endpoint Reports was disabled",
  ]);
  // That one has a letter of its own.
  await mail(home, admin.person);
  const [letter] = await lettersTo(running, admin.person.email);
  expect(letter?.text).not.toContain("Reports");
});
