// A close look at a page: no fault that axe calls moderate or worse in light and dark, and nothing wider than a small
// phone. With SHOTS=directory the page is also photographed, to be looked at.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Visit } from "./visit.ts";

/** Of all rules, or of these. */
export async function faultsOf(page: Page, ...rules: string[]): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there.
  if (!(await page.evaluate(() => "axe" in (window as any)))) await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const only = rules.length > 0 ? { runOnly: rules } : {};
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const { violations } = await (window as any).axe.run({ ...only, resultTypes: ["violations"] });
    return violations
      .filter(
        ({ impact }: { impact: string }) => impact === "serious" || impact === "critical" || impact === "moderate",
      )
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes.map(({ html }) => html)}`);
  }, rules);
}

export async function look({ page }: Visit, name: string) {
  const shot = (kind: string) =>
    process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}-${kind}.png`, fullPage: true });
  await page.locator("main:not(:has([aria-busy]))").waitFor();
  // What is dark differs in its colours alone.
  for (const [colorScheme, rules] of [
    ["dark", ["color-contrast"]],
    ["light", []],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faultsOf(page, ...rules), `${name} in ${colorScheme}`).toEqual([]);
    await shot(colorScheme);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} on a phone`).toBeLessThanOrEqual(
    320,
  );
  await shot("phone");
  await page.setViewportSize({ width: 1280, height: 800 });
}
