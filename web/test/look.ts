// A close look at a page: no fault that axe calls moderate or worse in light and dark, and nothing wider than a small phone. With
// SHOTS=directory the page is also photographed, to be looked at.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Visit } from "./visit.ts";

export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe has just put itself there.
    const { violations } = await (window as any).axe.run();
    return violations
      .filter(
        ({ impact }: { impact: string }) => impact === "serious" || impact === "critical" || impact === "moderate",
      )
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes.map(({ html }) => html)}`);
  });
}

export async function look({ page }: Visit, name: string) {
  const shot = (kind: string) =>
    process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}-${kind}.png`, fullPage: true });
  await page.locator("main:not(:has([aria-busy]))").waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faultsOf(page), `${name} in ${colorScheme}`).toEqual([]);
    await shot(colorScheme);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} on a phone`).toBeLessThanOrEqual(
    320,
  );
  await shot("phone");
  await page.setViewportSize({ width: 1280, height: 800 });
}
