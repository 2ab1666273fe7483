// Actions at Slack (Web API). It answers 200 to everything, and the body says whether it was done. It takes no keys: a
// message has our marker as metadata, and a search finds it.
import Type from "typebox";
import type { Ask, ProviderAction, Resource, Tells } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";
import { slack } from "./web-api.ts";

/** Escapes commands, mentions and links of Slack's. */
const plainly = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const EVENT = "svc_action";
const MOST_MESSAGE = 4000;
const Message = Type.String({ minLength: 1, maxLength: MOST_MESSAGE });
const Moment = Type.String({
  pattern: "^\\d{1,12}\\.\\d{1,9}$",
  maxLength: 25,
  description: "Of a message in the channel.",
});
const closed = { additionalProperties: false };
const made = ({ externalId }: Resource, ts: unknown) => {
  const moment = textOf(ts, 25);
  if (moment === "") throw new ProviderFault("unknown");
  return { externalId: `${externalId}:${moment}`, url: null };
};

interface Saying {
  text: string;
  thread_ts?: string;
}
async function post(ask: Ask, resource: Resource, { text, thread_ts }: Saying, marker: string) {
  const message = {
    channel: resource.externalId,
    text: plainly(text),
    thread_ts,
    unfurl_links: false,
    unfurl_media: false,
  };
  const metadata = { event_type: EVENT, event_payload: { marker } };
  return made(resource, (await slack(ask, "POST", "/chat.postMessage", { ...message, metadata })).ts);
}
async function findIn(ask: Ask, resource: Resource, path: string, marker: string) {
  const query = new URLSearchParams({ channel: resource.externalId, limit: "100", include_all_metadata: "true" });
  const { messages } = await slack(ask, "GET", `${path}&${query}`);
  const rows: unknown[] = Array.isArray(messages) ? messages : [];
  const found = rows.map(fieldsOf).find(({ metadata }) => {
    const { event_type, event_payload } = fieldsOf(metadata);
    return event_type === EVENT && fieldsOf(event_payload).marker === marker;
  });
  return found === undefined ? null : made(resource, found.ts);
}

const postMessage: ProviderAction = {
  name: "Post a message to a channel",
  input: Type.Object({ text: Message }, closed),
  keyed: false,
  perform: post,
  find: (ask, resource, marker) => findIn(ask, resource, "/conversations.history?", marker),
};

const reply: ProviderAction = {
  name: "Reply to a message",
  input: Type.Object({ text: Message, thread_ts: Moment }, closed),
  keyed: false,
  perform: post,
  find: (ask, resource, marker, { thread_ts }: Required<Saying>) =>
    findIn(ask, resource, `/conversations.replies?ts=${thread_ts}`, marker),
};

interface Unfurling {
  ts: string;
  links: { url: string; title: string; text: string }[];
}
/** Unfurling is idempotent. */
const unfurl: ProviderAction = {
  name: "Show what links in a message lead to",
  input: Type.Object(
    {
      ts: Moment,
      links: Type.Array(
        Type.Object(
          {
            url: Type.String({ minLength: 1, maxLength: 2000 }),
            title: Type.String({ minLength: 1, maxLength: 250 }),
            text: Type.String({ maxLength: 1000 }),
          },
          closed,
        ),
        { minItems: 1, maxItems: 5 },
      ),
    },
    closed,
  ),
  keyed: true,
  async perform(ask, resource, { ts, links }: Unfurling) {
    const shown = links.map(({ url, title, text }) => [
      url,
      { title: plainly(title), title_link: url, text: plainly(text) },
    ]);
    const json = { channel: resource.externalId, ts, unfurls: Object.fromEntries(shown) };
    await slack(ask, "POST", "/chat.unfurl", json);
    return made(resource, ts);
  },
};

export const slackActions = { post_message: postMessage, reply, unfurl };
const cut = (text: string, most: number) => [...text].slice(0, most).join("");
const isMoment = (text: string | undefined): text is string => /^\d{1,12}\.\d{1,9}$/.test(text ?? "");
export const slackTells: Tells = {
  announce: (text) => ({ action: "post_message", input: { text: cut(text, MOST_MESSAGE) } }),
  // A slash command has no thread.
  reply: ({ thread_ts }, text) => {
    const input = { text: cut(text, MOST_MESSAGE) };
    return isMoment(thread_ts)
      ? { action: "reply", input: { ...input, thread_ts } }
      : { action: "post_message", input };
  },
  unfurl: ({ ts }, links) =>
    isMoment(ts)
      ? {
          action: "unfurl",
          input: {
            ts,
            links: links.map(({ url, title, text }) => ({ url, title: cut(title, 250), text: cut(text, 1000) })),
          },
        }
      : null,
};
