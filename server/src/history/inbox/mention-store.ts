// Finds the people whom events mention, in the current texts of Tasks and Documents. Mentions are stored, so that
// nobody is notified of the same mention twice.
import type { Queries } from "../../platform/database/db.ts";
import { mentionedIn, written } from "./document-store.ts";
import * as store from "./notice-store.ts";
import { mentionsIn } from "./rules.ts";

const TEXTS_AT_ONCE = 50;

async function mentioned(tx: Queries, text: store.Written): Promise<string[]> {
  const usernames = mentionsIn(text.text);
  return usernames.length > 0 ? store.mention(tx, text, usernames) : [];
}

export async function mentionsOf(tx: Queries, events: store.NoticeEvent[]): Promise<store.Addressed[]> {
  const found: store.Addressed[] = [];
  const changes = Map.groupBy(
    events.filter(({ type }) => store.texts.includes(type)),
    ({ resource_id }) => resource_id,
  );
  const ofTasks = [...changes.values()].flat();
  for (let at = 0; at < ofTasks.length; at += TEXTS_AT_ONCE) {
    const texts = await store.textsOf(tx, ofTasks.slice(at, at + TEXTS_AT_ONCE));
    for (const changed of Map.groupBy(texts, ({ source_id }) => source_id).values())
      for (const actor_id of await mentioned(tx, changed[0] as store.Written)) {
        // Only the current text is read. If several events changed it, the mention is attributed to one whose authors
        // do not include the mentioned person.
        const by = changed.find(({ authors }) => !authors.includes(actor_id));
        if (by) found.push({ event_id: by.event_id, category: "mentioned", actor_id });
      }
  }
  const ofDocuments = events.filter(({ type }) => written.includes(type));
  for (let at = 0; at < ofDocuments.length; at += TEXTS_AT_ONCE)
    for (const { event_id, actor_id } of await mentionedIn(tx, ofDocuments.slice(at, at + TEXTS_AT_ONCE)))
      found.push({ event_id, category: "mentioned", actor_id });
  await Promise.all(
    events.filter(({ type }) => type === store.TEXT_GONE).map((gone) => store.forgetMentions(tx, gone)),
  );
  return found;
}
