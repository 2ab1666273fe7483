// Finds mentions in a text, and words the notifications. Pure.
import type { NotificationCategory } from "@svc/contract/types.ts";
import { isolated } from "../../platform/outside/letter.ts";

/** Number of people that one text can mention: a text with more names addresses nobody in person. */
export const MOST_MENTIONED = 50;

/**
 * Number of mentions that are read per text. A name repeated through the longest text, 87,000 times, would block the
 * event loop for 150 ms.
 */
export const MOST_NAMED = 10_000;

/**
 * Beside these characters a name is part of a word, an address or a package. Scripts that put no space between words,
 * or none before an ending, are exempt.
 */
const LETTER = String.raw`[\p{N}[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]]`;
const NAME = new RegExp(
  String.raw`(?<![${LETTER}@.+\/\-]|${LETTER}_)@([a-z0-9](?:[a-z0-9\-]{0,62}[a-z0-9])?)(?![${LETTER}@]|[._\/\-]+${LETTER})`,
  "giv",
);

/** Returns the usernames after an @, lowercase and distinct. Code, parts of words and addresses contain no mentions. */
export const mentionsIn = (markdown: string): string[] =>
  markdown.includes("@") ? namesIn([withoutCode(markdown)], MOST_MENTIONED) : [];

/** Returns the usernames in texts that contain no code. */
export function namesIn(texts: readonly string[], most: number): string[] {
  const names = new Set<string>();
  let left = MOST_NAMED;
  for (const text of texts)
    for (const [, name] of text.matchAll(NAME)) {
      names.add((name as string).toLowerCase());
      if (names.size === most || --left === 0) return [...names];
    }
  return [...names];
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Works line by line, so that its time is linear in the length. An unclosed fence extends to the end. */
function withoutCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const [opening = "", mark = ""] = FENCE.exec(line) ?? [];
    const info = line.slice(opening.length);
    if (fence === null && mark !== "" && !(mark.startsWith("`") && info.includes("`"))) fence = mark;
    else if (fence === null) kept.push(line);
    else if (mark.startsWith(fence) && info.trim() === "") fence = null;
  }
  return withoutSpans(kept.join("\n"));
}

/**
 * A run of backticks opens a span that the next run of the same length closes within the paragraph; without one it is
 * plain text.
 */
function withoutSpans(text: string): string {
  return text.includes("`")
    ? text
        .split(/\n[ \t]*\n/)
        .map(shownOf)
        .join("\n\n")
    : text;
}

function shownOf(paragraph: string): string {
  const runs = [...paragraph.matchAll(/(?<!\\)`+/g)];
  // Runs backwards to find, for each run, the next one of its length.
  const nearest = new Map<number, number>();
  const closing = new Array<number>(runs.length);
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = (runs[at] as RegExpExecArray)[0];
    closing[at] = nearest.get(length) ?? 0;
    nearest.set(length, at);
  }
  const shown: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const end = closing[at] as number;
    if (end === 0) continue;
    shown.push(paragraph.slice(from, runs[at]?.index));
    from = (runs[end]?.index ?? 0) + (runs[end]?.[0].length ?? 0);
    at = end;
  }
  return [...shown, paragraph.slice(from)].join(" ");
}

/** The content of a notification, read when it is sent. */
export interface NotificationContent {
  category: NotificationCategory;
  count: number;
  actor_name: string | null;
  /** Null unless the subject is a Task. */
  code: string | null;
  title: string | null;
  /** Set if the subject is a Document. */
  document_id: string | null;
  path: string | null;
  status_name: string | null;
  due_date: string | null;
  /** Null for a Document without a Project. */
  project_name: string | null;
  excerpt: string | null;
  /** The text of a reminder. */
  reminder: string | null;
  event_type: string;
  /** Set if the subject is no work: a request or a webhook. */
  about_name: string | null;
  about_note: string | null;
}

const decisions: Record<string, string> = {
  "integration_request.closed": "It is connected, as you asked",
  "integration_request.declined": "Your request was declined",
  "agent_request.approved": "Your request was approved",
  "agent_request.rejected": "Your request was rejected",
};

export function headline(told: NotificationContent): string {
  const { category, count, actor_name, code, title, status_name, due_date, project_name, reminder } = told;
  const name = isolated(told.about_name ?? "");
  const who = actor_name ?? "Somebody";
  switch (category) {
    case "assigned":
      return `${who} assigned ${code} to you`;
    case "mentioned":
      return `${who} mentioned you in ${code ?? isolated(title ?? "")}`;
    case "commented":
      return count === 1 ? `${who} commented on ${code}` : `${count} new comments on ${code}`;
    case "status_changed":
      return `${code} is now ${status_name}`;
    case "review_requested":
      return `${code} waits for your review`;
    case "due_soon":
      return due_date === null ? `${code} is due soon` : `${code} is due on ${due_date}`;
    case "project_updates":
      return `${who} changed the plan of ${project_name}`;
    case "reminder":
      return `Reminder: ${isolated(reminder ?? "")}`;
    case "request_received":
      return `${who} asks for ${name}`;
    case "request_decided":
      return `${decisions[told.event_type] ?? "What you asked for was decided"}: ${name}`;
    case "webhook_disabled":
      return `The webhook endpoint ${name} was disabled`;
  }
}

/**
 * The text below the headline: the excerpt of a comment or the note of a request, else the Document's path, else the
 * title of the Task.
 */
export const detail = ({ title, path, excerpt, project_name, about_note }: NotificationContent) =>
  (excerpt ?? about_note ?? path ?? title ?? project_name ?? "").replace(/\s+/g, " ").trim();
