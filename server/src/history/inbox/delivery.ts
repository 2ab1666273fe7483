// Delivers inbox items: push messages at once, and a digest mail per Workspace at most once an hour. The queue holds
// only ids. Every attempt composes its content when it sends: items still unread, for recipients who are still members,
// see the subject and want this channel.
import { pushTo } from "../../accounts/account/push-store.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems, Letter } from "../../platform/outside/external-systems.ts";
import { isolated, letter } from "../../platform/outside/letter.ts";
import { isFinal } from "../../platform/outside/mail.ts";
import { newId } from "../../platform/wire/ids.ts";
import { tellable } from "./notice-store.ts";
import { detail, headline, type NotificationContent } from "./rules.ts";

type Both = Pick<Database, "reader" | "writer">;

export interface PushPayload {
  id: string;
  endpoint_id: string;
  workspace_id: string;
  actor_id: string;
  item_ids: string[];
}
const TO_PUSH = tellable("push", "f.id = any($2::uuid[])");

export async function pushItems(database: Both, outside: ExternalSystems, payload: PushPayload, attempts: number) {
  const { id, endpoint_id, workspace_id, actor_id, item_ids } = payload;
  const told = await inWorkspace(database.reader, workspace_id, (tx) =>
    tx.rows<NotificationContent>(TO_PUSH, [actor_id, item_ids]),
  );
  if (told.length > 0)
    await pushTo(database, outside, endpoint_id, JSON.stringify({ id, ...messageOf(told) }), attempts);
}

/** Push services accept at most 4 KiB per message. */
const LONGEST = 300;
/** Cuts by code points, so that no character is split. */
const shortened = (text: string) => [...text].slice(0, LONGEST).join("");
function messageOf(told: NotificationContent[]) {
  const [first] = told as [NotificationContent];
  if (told.length === 1)
    return { title: shortened(headline(first)), body: shortened(detail(first)), path: pathOf(first) };
  const body = told.slice(0, 3).map(headline).join("; ");
  return { title: `${told.length} new notifications`, body: shortened(body), path: "/" };
}
function pathOf({ code, document_id }: NotificationContent): string {
  if (document_id !== null) return `/?document=${document_id}`;
  return code === null ? "/" : `/?task=${code}`;
}

// Only one of two concurrent claims succeeds.
const CLAIM = `
insert into inbox_digests as old (workspace_id, actor_id, sent_at) values (current_workspace(), $1, now())
on conflict (workspace_id, actor_id) do update set sent_at = now() where old.sent_at <= now() - interval '1 hour'
returning 1`;
const GATHER = `
update inbox_items set mail_due = false, digest_id = $2
where workspace_id = current_workspace() and actor_id = $1 and mail_due`;
const LATER = `
select enqueue_job('mail_digest',
  json_build_object('id', $2::uuid, 'workspace_id', current_workspace(), 'actor_id', $1::uuid))`;
const AT_ONCE = 100;

/** Claims a digest for everybody with unsent items: each digest is one mail with a job of its own. */
export async function claimDigests({ writer }: Both): Promise<void> {
  const due = () =>
    writer.use((tx) => tx.rows<{ workspace_id: string; actor_id: string }>("select * from due_digests($1)", [AT_ONCE]));
  for (let found = await due(); found.length > 0; found = await due())
    for (const { workspace_id, actor_id } of found)
      await inWorkspace(writer, workspace_id, async (tx) => {
        const claimed = await tx.rows(CLAIM, [actor_id]);
        const values = [actor_id, newId()];
        if (claimed.length > 0) await Promise.all([tx.rows(GATHER, values), tx.rows(LATER, values)]);
      });
}

export interface DigestPayload {
  id: string;
  workspace_id: string;
  actor_id: string;
}
const KNOWN = "select from mail_outbox where id = $1";
const ADDRESS = `
select u.email, w.name as workspace_name from memberships m join users u on u.id = m.user_id
join workspaces w on w.id = m.workspace_id
where m.workspace_id = current_workspace() and m.actor_id = $1 and m.state = 'active'
  and u.email_proved_at is not null`;
const TO_MAIL = tellable("email", "f.digest_id = $2");
/**
 * About an hour and a half with the queue's growing pauses. After that, the next digest includes the items, for a day.
 */
const MOST_ATTEMPTS = 8;
const NEXT_MAIL = `
update inbox_items set mail_due = true
where workspace_id = current_workspace() and actor_id = $1 and digest_id = $2 and state = 'unread'
  and newest_at > now() - interval '1 day'`;

export async function mailDigest(database: Both, outside: ExternalSystems, payload: DigestPayload, attempts: number) {
  const { id, workspace_id, actor_id } = payload;
  const [known, address, told] = await inWorkspace(database.reader, workspace_id, (tx) =>
    Promise.all([
      tx.rows(KNOWN, [id]),
      tx.maybe<{ email: string; workspace_name: string }>(ADDRESS, [actor_id]),
      tx.rows<NotificationContent>(TO_MAIL, [actor_id, id]),
    ]),
  );
  if (known.length > 0 || !address || told.length === 0) return;
  try {
    await outside.mail.send(digestLetter(outside.origin(), address, told), id);
  } catch (error) {
    if (isFinal((error as Error).cause)) return;
    if (attempts < MOST_ATTEMPTS) throw error;
    await inWorkspace(database.writer, workspace_id, (tx) => tx.rows(NEXT_MAIL, [actor_id, id]));
  }
}

const SHOWN = 20;
function digestLetter(
  origin: string,
  to: { email: string; workspace_name: string },
  told: NotificationContent[],
): Letter {
  const lines = told
    .slice(0, SHOWN)
    .map((item) => `${headline(item)}\n${isolated(detail(item))}\n${origin}${pathOf(item)}`);
  const more = told.length - lines.length;
  return letter({
    to: to.email,
    subject: told.length === 1 ? headline(told[0] as NotificationContent) : `${told.length} new notifications`,
    paragraphs: [
      `What you have not read yet in ${isolated(to.workspace_name)}:`,
      ...lines,
      ...(more > 0 ? [`And ${more} more.`] : []),
    ],
    action: { label: "Open your inbox", url: `${origin}/` },
    closing: [
      "You get this letter at most once an hour, and only of what you have not read.",
      "Which of these are mailed to you is your choice, for each category: see the notifications in your settings.",
    ],
    unsubscribe: `${origin}/`,
  });
}
