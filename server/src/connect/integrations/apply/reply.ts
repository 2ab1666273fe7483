// Answers to a chat: previews of Tasks that a message links to or names, and the Task that was created from a message.
// Only Tasks of Projects that are bound to the channel are answered; any other is treated as missing.
import type { Preview, Telling } from "../client/provider.ts";
import { codesIn } from "../install/binding-rules.ts";
import { type DeliveryContext, type Of, projectsOf, resourceOf, within } from "../receive/delivery-context.ts";
import { type NotifiedTask, tasksTold } from "../send/outbound-notification-store.ts";
import { pageOf, say } from "../send/queue-action.ts";
import type { EventBinding } from "./apply-event-store.ts";
import { type AtTask, tasksNamed } from "./entity-store.ts";

/** Previews per message. */
const MOST_SHOWN = 5;

export async function showMentioned(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  { urls, text, reply }: Of<"links">,
) {
  const { tells } = place.provider;
  const linked = await linkedTasks(place, bound, urls);
  const previews = linked.map(({ url, task }): Preview => ({ url, title: titleOf(task), text: task.status }));
  if (previews.length > 0) await answer(place, bound, "unfurl", tells?.unfurl?.(reply, previews.slice(0, MOST_SHOWN)));
  const named = (await namedTasks(place, bound, [text])).slice(0, MOST_SHOWN);
  const lines = named.map((task) => `${titleOf(task)} · ${task.status}\n${urlOf(place, task)}`);
  if (lines.length > 0) await answer(place, bound, "named", tells?.reply?.(reply, lines.join("\n")));
}

/** `made`: Tasks created by this delivery. `known`: Tasks created from the message before. */
export async function answerWanted(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  reply: Readonly<Record<string, string>>,
  made: readonly AtTask[],
  known: readonly AtTask[],
) {
  const of = made.length > 0 ? made : known;
  const tasks = of.length === 0 ? [] : await within(place, (tx) => tasksTold(tx, idsOf(of)));
  const word = made.length > 0 ? "Created" : "This is";
  const text = tasks.map((task) => `${word} ${titleOf(task)}\n${urlOf(place, task)}`).join("\n");
  if (text !== "") await answer(place, bound, "wanted", place.provider.tells?.reply?.(reply, text));
}

const idsOf = (tasks: readonly AtTask[]) => tasks.map(({ id }) => id);
const titleOf = ({ code, title }: NotifiedTask) => `${code}: ${title}`;
const urlOf = ({ reaching }: DeliveryContext, task: NotifiedTask) => pageOf(reaching.outside.origin(), task);

/** Sends once for this delivery. */
async function answer(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  what: string,
  telling: Telling | null | undefined,
) {
  const { installation, workspaceId, reaching, cause } = place;
  if (!telling) return;
  const saying = { installationId: installation.id, resourceId: resourceOf(bound), cause: `delivery ${cause} ${what}` };
  await within(place, (tx) => say(tx, reaching.outside.secrets, workspaceId, { ...saying, telling }));
}

async function namedTasks(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  texts: readonly string[],
): Promise<NotifiedTask[]> {
  const codes = codesIn(texts, new Set(bound.map(({ project_key }) => project_key)));
  if (codes.length === 0) return [];
  return within(place, async (tx) => tasksTold(tx, idsOf(await tasksNamed(tx, codes, projectsOf(bound)))));
}

const PAGE = /^\/workspaces\/([^/]+)\/(?:tasks\/([A-Za-z0-9]+-\d+)\/?$)?/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Tasks of this Workspace that the addresses show: their page, or a page on which they are opened. */
async function linkedTasks(place: DeliveryContext, bound: readonly EventBinding[], urls: readonly string[]) {
  const found: { url: string; task: NotifiedTask }[] = [];
  for (const url of new Set(urls)) {
    const { origin, pathname, searchParams } = new URL(url);
    const [, slug, code] = PAGE.exec(pathname) ?? [];
    if (slug === undefined || origin !== new URL(place.reaching.outside.origin()).origin) continue;
    const opened = searchParams.get("task") ?? "";
    const tasks = code ? await namedTasks(place, bound, [code]) : ID.test(opened) ? await withId(place, opened) : [];
    const task = tasks.find(({ project_id }) => projectsOf(bound).includes(project_id));
    if (task?.slug === slug) found.push({ url, task });
  }
  return found;
}
const withId = (place: DeliveryContext, id: string) => within(place, (tx) => tasksTold(tx, [id]));
