// Webhook of Slack: a message that becomes a Task (by a shortcut on the message, or a command), and links and codes in
// a channel. Signed together with a time (v0).
import type { By, ConnectionEvent, Entity, ResourceEvent, Webhook } from "../../client/provider.ts";
import { isHmac, isRecent } from "../signatures.ts";
import { fieldsOf, listOf, mayName, textOf, timeOf, unwrapped, urlOf } from "../untrusted-fields.ts";

type Fields = ReturnType<typeof fieldsOf>;
const AGE = 300;
/** Callback id of the message shortcut, as the app registers it. */
const SHORTCUT = "create_task";
const MOST_TITLE = 200;

/** User ids are unique within a team: same form as in identities. */
const byOf = (team: unknown, id: unknown, name: unknown): By | null => {
  const [place, who] = [textOf(team, 40), textOf(id, 40)];
  return place === "" || who === "" ? null : { externalId: `${place}:${who}`, name: textOf(name, 100) };
};
const titleOf = (text: string) =>
  textOf(
    text.split("\n").find((line) => line.trim() !== ""),
    MOST_TITLE,
  );

function wanted(
  resource: string,
  ts: string,
  text: string,
  by: By | null,
  reply: Record<string, string>,
): ResourceEvent[] {
  const title = titleOf(text);
  if (title === "" || resource === "") return [];
  const entity: Entity = {
    kind: "message",
    externalId: `${resource}:${ts}`,
    title,
    url: "",
    state: "open",
    authorName: by?.name ?? null,
    changedAt: timeOf(Number(ts.split(".")[0])),
  };
  const detail = textOf(text, 20_000);
  return [{ what: "task_wanted", resource, kind: "message", by, entity, title, detail, reply }];
}

function interaction(body: Fields): ResourceEvent[] {
  const channel = textOf(fieldsOf(body.channel).id, 40);
  const message = fieldsOf(body.message);
  const ts = textOf(message.ts, 25);
  if (body.type !== "message_action" || body.callback_id !== SHORTCUT || ts === "") return [];
  const user = fieldsOf(body.user);
  const by = byOf(fieldsOf(body.team).id, user.id, user.username ?? user.name);
  return wanted(channel, ts, textOf(message.text, 20_000), by, { thread_ts: textOf(message.thread_ts, 25) || ts });
}
function command(body: Fields): ResourceEvent[] {
  const channel = textOf(body.channel_id, 40);
  const trigger = textOf(body.trigger_id, 200);
  const [time = ""] = trigger.split(".");
  const by = byOf(body.team_id, body.user_id, body.user_name);
  return wanted(channel, trigger || time, textOf(body.text, 20_000), by, {});
}
/** Text without links, which come as an event of their own, and without mentions. */
const plain = (text: unknown) => textOf(text, 20_000).replace(/<[^<>]*>/g, " ");
/** A message by a person and not by a program: our own answers are not answered. */
const isSaid = ({ type, subtype, bot_id, text }: Fields) =>
  type === "message" &&
  (subtype === undefined || subtype === "thread_broadcast") &&
  bot_id === undefined &&
  mayName(plain(text));
function event(body: Fields): readonly (ResourceEvent | ConnectionEvent)[] {
  const sent = fieldsOf(body.event);
  if (sent.type === "app_uninstalled" || sent.type === "tokens_revoked") return [{ what: "removed" }];
  if (/^channel_(created|rename|archive|unarchive|deleted)$/.test(String(sent.type)))
    return [{ what: "resources_changed" }];
  const resource = textOf(sent.channel, 40);
  if (isSaid(sent)) {
    const reply = { thread_ts: textOf(sent.thread_ts, 25) || textOf(sent.ts, 25) };
    const by = byOf(body.team_id, sent.user, "");
    return [{ what: "links", resource, kind: "link", by, urls: [], text: plain(sent.text), reply }];
  }
  if (sent.type !== "link_shared") return [];
  const urls = listOf(sent.links, 10).map((link) => urlOf(fieldsOf(link).url));
  const reply = { ts: textOf(sent.message_ts, 25) };
  const by = byOf(body.team_id, sent.user, "");
  return [{ what: "links", resource, kind: "link", by, urls: urls.filter((url) => url !== ""), text: "", reply }];
}

/** Kind of a delivery: an event, a shortcut or a command. */
const kindOf = (body: Fields) =>
  body.type === "event_callback" ? "event" : typeof body.command === "string" ? "command" : "interaction";
const channelOf = (body: Fields) =>
  textOf(body.channel_id ?? fieldsOf(body.channel).id ?? fieldsOf(body.event).channel, 40);

export const webhook: Webhook = {
  age: AGE,
  verify(headers, body, secret, now) {
    const time = headers["x-slack-request-timestamp"];
    const [, given] = String(headers["x-slack-signature"]).match(/^v0=(.*)$/) ?? [];
    return isRecent(time, AGE, now) && isHmac(given, secret, `v0:${time}:`, body);
  },
  challenge(sent): Record<string, string> | null {
    const { type, challenge } = fieldsOf(sent);
    if (fieldsOf(sent).ssl_check === "1") return {};
    // Messages between people are not stored unless they name a Task.
    const said = fieldsOf(fieldsOf(sent).event);
    if (said.type === "message" && !isSaid(said)) return {};
    return type === "url_verification" && typeof challenge === "string" ? { challenge: challenge.slice(0, 500) } : null;
  },
  read(_headers, sent) {
    const body = unwrapped(sent);
    const account = textOf(body.team_id ?? fieldsOf(body.team).id, 40);
    const key = textOf(body.event_id ?? body.trigger_id, 200) || null;
    return account === "" ? null : { key, account, lane: channelOf(body), kind: kindOf(body) };
  },
  happened(kind, sent) {
    const body = unwrapped(sent);
    return kind === "event" ? event(body) : kind === "command" ? command(body) : interaction(body);
  },
};
