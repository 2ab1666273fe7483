// The layout of every mail: one plain design in text and in HTML, so that mails of the service are recognisable. All
// user input is escaped, and nothing is loaded from elsewhere.
import type { Letter } from "./external-systems.ts";

export interface LetterParts {
  to: string;
  subject: string;
  paragraphs: string[];
  action?: { label: string; url: string };
  /** Small print below the action. */
  closing?: string[];
  /** URL that ends a recurring mail. */
  unsubscribe?: string;
}

/** Flattens a subject or an address to one line, so that user input can add no header and no second recipient. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").trim();

// Direction marks of bidirectional text (UAX 9), removed from user input before it is isolated.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Isolates user input within our text, so that its direction does not reorder our words. */
export const isolated = (words: string) => `\u2068${words.replace(TURNING, "")}\u2069`;

export function letter({ to, subject, paragraphs, action, closing = [], unsubscribe }: LetterParts): Letter {
  return {
    to: oneLine(to),
    subject: oneLine(subject),
    text: asText(paragraphs, action, closing),
    html: asHtml(oneLine(subject), paragraphs, action, closing),
    ...(unsubscribe ? { unsubscribe } : {}),
  };
}

function asText(paragraphs: string[], action: LetterParts["action"], closing: string[]): string {
  const parts = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...closing, "-- \nsvc"];
  return `${parts.join("\n\n")}\n`;
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll("\n", "<br>");

/**
 * Follows the reader's light or dark mode; uses tables and inline styles, because mail programs support nothing else.
 */
function asHtml(title: string, paragraphs: string[], action: LetterParts["action"], closing: string[]): string {
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escaped(text)}</p>`;
  const small = (text: string) =>
    `<p class="quiet" style="margin:0 0 8px;font-size:13px;color:#5b6472">${escaped(text)}</p>`;
  const button = action
    ? `<p style="margin:24px 0"><a class="button" href="${escaped(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1f4fd8;color:#ffffff;text-decoration:none;font-weight:600">${escaped(action.label)}</a></p>
${small("If the button does not work, open this address:")}
<p class="quiet" style="margin:0 0 24px;font-size:13px;word-break:break-all;color:#5b6472">${escaped(action.url)}</p>`
    : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>@media (prefers-color-scheme: dark) { body, .page { background: #12151b !important; color: #e7eaf0 !important } .quiet { color: #a3acba !important } .card { background: #1b2029 !important; border-color: #2c3441 !important } .button { background: #7aa2ff !important; color: #0c1220 !important } }</style></head>
<body style="margin:0;background:#f4f5f7;color:#1a1f29">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border:1px solid #e3e6eb;border-radius:12px"><tr><td style="padding:32px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<h1 style="margin:0 0 20px;font-size:20px;line-height:1.3">${escaped(title)}</h1>
${paragraphs.map(paragraph).join("\n")}
${button}
${closing.map(small).join("\n")}
</td></tr></table>
<p class="quiet" style="margin:16px 0 0;font:13px -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#5b6472">svc</p>
</td></tr></table></body></html>
`;
}
