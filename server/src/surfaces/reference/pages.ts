// Static HTML pages of the service: the meaning of an error code, the frame of the interactive reference, the outbox.
// They work without scripts, in light and dark, and contain no request data.
import { createHash } from "node:crypto";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { type AnyOperation, declaredErrors } from "@svc/contract/kit.ts";
import { inOrder, tagFor } from "@svc/contract/openapi.ts";
import { problemExample } from "@svc/contract/openapi-problems.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5c6470; --line: #e3e6ea; --page: #fff; --box: #f6f7f9; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #9aa4b2; --line: #30363d; --page: #14171a; --box: #1d2125; --link: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3.5rem 1.25rem 5rem; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.02em; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { margin: .5rem 0; } .lead { font-size: 1.15rem; color: var(--soft); } .soft { color: var(--soft); }
a { color: var(--link); text-underline-offset: .15em; }
code, pre { font: .875em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.status { display: inline-block; margin-bottom: 1rem; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft); font-size: .875rem; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0 1.5rem; } td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 3.5rem; color: var(--soft); } ul.plain { padding-left: 1.1rem; margin: .5rem 0; }
code { overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { padding-top: 2rem; } h1 { font-size: 1.7rem; } tr { display: block; border-top: 1px solid var(--line); padding: .6rem 0; } td { display: inline; border: 0; padding: 0 .5rem 0 0; } td:last-child { display: block; } }
nav { margin-bottom: 2.5rem; font-size: .9rem; }
details { border-top: 1px solid var(--line); padding: .75rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
iframe { width: 100%; height: 34rem; margin-top: .75rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; }
`;
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' " +
  "height='16' rx='4' fill='%230b57d0'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' fill='none' stroke='white' " +
  "stroke-width='2'/%3E%3C/svg%3E";

const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const LOCKED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const pagePolicy = `default-src 'none'; style-src ${digest(STYLE)}; img-src data:; ${LOCKED}`;
/**
 * Scalar writes style elements of its own; scripts come from this host only, and so does everything that is fetched.
 */
export const referencePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; " +
  "style-src 'unsafe-inline'; " +
  "img-src 'self' data: " +
  `blob:; ${LOCKED}`;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const safe = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] as string);
/** Backticks in the catalogue's sentences mark code. */
const prose = (text: string) => safe(text).replace(/`([^`]+)`/g, "<code>$1</code>");

const document = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)}</title>
<link rel="icon" href="${ICON}">
${head}
</head>
<body>
${body}
</body>
</html>
`;
const page = (title: string, main: string) => document(title, `<style>${STYLE}</style>`, `<main>\n${main}\n</main>`);

const home = '<nav><a href="/">svc</a> / <a href="/problems">errors</a></nav>';

export function problemsPage(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${safe(title)}</td></tr>`,
  );
  return page(
    "Errors · svc",
    `<nav><a href="/">svc</a></nav>
<h1>Errors</h1>
<p class="lead">Every error is <code>application/problem+json</code> with one of these codes. Codes never change their meaning.</p>
<table>${rows.join("\n")}</table>`,
  );
}

export function problemPage(code: ErrorCode, operations: Iterable<AnyOperation>): string {
  const { status, title, detail } = errors[code];
  const by = inOrder(operations).filter((operation) => declaredErrors(operation).includes(code));
  const links = by.map(
    (operation) =>
      `<li><a href="${referenceLink(operation)}">${safe(operation.summary)}</a> <code ` +
      `class="soft">${operation.method} ${operation.path}</code></li>`,
  );
  const where = links.length > 0 ? `<h2>Answered by</h2>\n<ul class="plain">${links.join("\n")}</ul>` : "";
  return page(
    `${title} · svc`,
    `${home}
<span class="status">${status} · <code>${code}</code></span>
<h1>${safe(title)}</h1>
<p class="lead">${prose(detail)}</p>
<h2>Example</h2>
<pre>HTTP/1.1 ${status}
Content-Type: application/problem+json

${safe(JSON.stringify(problemExample(code), null, 2))}</pre>
<p class="soft">Quote <code>correlation_id</code> when you ask somebody about it: it names this one request in the logs.</p>
${where}`,
  );
}

const referenceLink = (operation: AnyOperation) =>
  `/docs#tag/${tagFor(operation).toLowerCase().replaceAll(" ", "-")}/${operation.method}${operation.path}`;

export const referencePage = (scripts: readonly string[]) =>
  document(
    "svc reference",
    "",
    `<p id="loading" style="font: 16px system-ui, sans-serif; padding: 2rem">Loading the reference …</p>
<noscript>This page needs scripts. The same content as a document: <a href="/api/v1/openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
${scripts.map((address) => `<script src="${address}"></script>`).join("\n")}`,
  );

type Sent = { id: string; at: Date; letter: { to: string; subject: string; text: string } };
/** The newest letter is open. */
export function mailPage(letters: readonly Sent[]): string {
  const one = ({ id, at, letter }: Sent, index: number) => `<details${index === 0 ? " open" : ""}>
<summary><b>${safe(letter.subject)}</b> <span class="soft">to ${safe(letter.to)}, ${at.toISOString().slice(0, 19).replace("T", " ")} UTC</span></summary>
<iframe src="/dev/mail/${id}" title="${safe(letter.subject)}" loading="lazy"></iframe>
<h2>As text</h2>
<pre>${safe(letter.text)}</pre>
</details>`;
  return page(
    "Mail · svc",
    `<nav><a href="/">svc</a></nav>
<h1>Mail</h1>
<p class="lead">This machine has no mail server (SMTP_URL), so letters are kept here. Only a browser on this machine can read them.</p>
${letters.length > 0 ? letters.map(one).join("\n") : "<p>No letters yet.</p>"}`,
  );
}
