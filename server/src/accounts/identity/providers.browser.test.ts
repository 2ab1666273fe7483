// The way to a provider and back in a real browser, across two sites: which cookies come along is for the browser to
// say. The service is localhost and the providers are 127.0.0.1, which to a browser are different sites.
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { browser } from "../../../test/browser.ts";
import * as byHttp from "../../../test/openid-provider.ts";
import { service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const openId = await byHttp.openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });
const chromium = browser();

async function logIn(page: Page, subject: string) {
  await page.locator("input[name=login]").fill(subject);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${running.url}/**`);
}
const someone = (name: byHttp.Name) => openId[name].person({ email: `${newId()}@example.com`, email_verified: true });
const cookies = async (page: Page) =>
  Object.fromEntries((await page.context().cookies()).map((each) => [each.name, each]));

for (const name of ["google", "apple"] as const)
  test(`signs in with ${name}, and links another provider`, async () => {
    const page = await chromium.page();
    await page.goto(`${running.url}/api/v1/auth/providers/${name}/authorize?return_to=/security`);
    expect(new URL(page.url()).origin).toBe(openId[name].issuer);
    await logIn(page, someone(name));
    expect(new URL(page.url()).pathname).toBe("/security");
    const set = await cookies(page);
    expect(set["__Host-svc_session"]).toMatchObject({ httpOnly: true, secure: true, sameSite: "Lax" });
    expect(set["__Host-svc_signin"]).toMatchObject({ httpOnly: true, sameSite: name === "apple" ? "None" : "Lax" });

    const other = name === "apple" ? "microsoft" : "apple";
    const url = await page.evaluate(
      async ({ token, provider }) => {
        const headers = { "content-type": "application/json", "x-csrf-token": token };
        const body = JSON.stringify({ provider });
        const answer = await fetch("/api/v1/me/identities", { method: "POST", headers, body });
        return ((await answer.json()) as { authorization_url: string }).authorization_url;
      },
      { token: set["__Host-svc_csrf"]?.value ?? "", provider: other },
    );
    await page.goto(url);
    await logIn(page, someone(other));
    expect(new URL(page.url()).pathname).toBe("/security");
    const linked = await page.evaluate(async () => {
      const { items } = (await (await fetch("/api/v1/me/identities")).json()) as { items: { provider: string }[] };
      return items.map(({ provider }) => provider);
    });
    expect(linked).toEqual([other, name]);
  });

test("a callback that another site has lured the browser to signs nobody in", async () => {
  const victim = await chromium.page();
  await victim.goto(`${running.url}/api/v1/auth/providers/google/authorize`);
  const sent = await byHttp.logIn(await byHttp.leave(running, "google"), someone("google"));
  const lure = `${running.url}/api/v1/auth/providers/google/callback?${new URLSearchParams(sent)}`;
  await victim.goto(lure);
  expect(new URL(victim.url()).search).toBe("?error=authentication_failed");
  expect(await cookies(victim)).not.toHaveProperty("__Host-svc_session");
});
