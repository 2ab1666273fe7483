// Texts that would run something if they were ever taken for HTML, or for an address that runs: 8,000 of them, all
// different. Each would call `window.ran`, which a page of a test has.
import type { Page } from "playwright-core";

const tags = [
  "img",
  "svg",
  "body",
  "iframe",
  "video",
  "audio",
  "input",
  "details",
  "object",
  "marquee",
  "a",
  "style",
  "math",
];
const events = [
  "onerror",
  "onload",
  "onfocus",
  "onmouseover",
  "onclick",
  "ontoggle",
  "onstart",
  "onanimationend",
  "onplay",
];
const wraps: ((inside: string) => string)[] = [
  (inside) => `<${inside}>`,
  (inside) => `"><${inside}>`,
  (inside) => `'><${inside}/>`,
  (inside) => `</textarea></script><${inside}>`,
  (inside) => `<!--><${inside}>`,
  (inside) => `&lt;${inside}&gt;<${inside}\t>`,
  (inside) => `\`<${inside}>\` **<${inside}>**`,
  (inside) => `[x](<${inside}>) ![x](<${inside}>)`,
];
const calls = ["ran()", "window['ran']()", "&#114;an()", "setTimeout('ran()')", "top.ran()", "eval('ran()')", "ran``"];
const schemes = [
  "javascript:",
  "JaVaScRiPt:",
  "java\tscript:",
  " javascript:",
  "data:text/html,",
  "vbscript:",
  "javascript&colon;",
];

function* all(): Generator<string> {
  for (const tag of tags)
    for (const event of events)
      for (const wrap of wraps)
        for (const call of calls) yield wrap(`${tag} src=x autofocus tabindex=1 ${event}="${call}"`);
  for (const scheme of schemes)
    for (let at = 0; at < 250; at++)
      yield [
        `[go ${at}](${scheme}ran(${at}))`,
        `![go](${scheme}ran(${at}))`,
        `<a href="${scheme}ran(${at})">go</a>`,
        `<script>ran(${at})//${scheme}</script>`,
      ][at % 4] as string;
}
export const attacks: readonly string[] = [...all()].slice(0, 8000);

/** In pieces that are no longer than a text may be. */
export function inPieces(most: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const attack of attacks) {
    if (piece.length + attack.length + 2 > most) {
      pieces.push(piece);
      piece = "";
    }
    piece += `${attack}\n\n`;
  }
  return [...pieces, piece];
}

/** What has run so far. Before the page is opened. */
export async function watched(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const told = window as unknown as { count: number; ran: () => void };
    told.count = 0;
    told.ran = () => {
      told.count++;
    };
  });
  return () => page.evaluate(() => (window as unknown as { count: number }).count);
}
