// Helpers for tests of what is sent of an inbox: a service with push and mail, and the jobs that wait, taken out of the
// queue.
import pg from "pg";
import { afterAll, expect } from "vitest";
import {
  claimDigests,
  type DigestPayload,
  mailDigest,
  type PushPayload,
  pushItems,
} from "../src/history/inbox/delivery.ts";
import type { ExternalSystems } from "../src/platform/outside/external-systems.ts";
import { openMail } from "../src/platform/outside/mail.ts";
import { openPush } from "../src/platform/outside/web-push.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";
import { pushReceiver } from "./push-receiver.ts";
import { joinProject, newProject, newTask } from "./work.ts";
import { type Person, service, testConfig, testKeys, type World, world } from "./world.ts";

/** Starts a service and a receiver of pushes, for one test file. */
export async function inboxDelivery() {
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

  /** Takes the waiting jobs of this name out of the queue. */
  const taken = async <Payload>(name: string): Promise<Payload[]> => {
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    const { rows } = await client.query(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier = $1 returning j.payload`,
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
  /** Ages unread items until they are due for mail. */
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
    await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [
      ada.userId,
    ]);
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
  return { running, secrets, outside, taken, push, mail, later, digests, place, reading, browserOf, prefer };
}
