// Signing in with a provider from the page, at a real OpenID provider on loopback.
import { afterAll, expect, test } from "vitest";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { openIdProviders } from "../../server/test/openid-provider.ts";
import { service } from "../../server/test/world.ts";
import { newAddress, visit } from "./visit.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const { google, apple } = openId.config;
const running = service({ providers: { google, apple } as typeof openId.config });
const chromium = browser();

/** The provider's login page: whoever is named in its form is let in. */
const LOGIN =
  '<title>Provider</title><form method="post"><label>Subject <input name="login"></label><button>Log ' +
  'in</button></form><form method="post"><button>Refuse</button></form>';
for (const name of ["google", "apple"] as const)
  openId[name].faulty = ({ method, url }, response) => {
    const asked = method === "GET" && url?.startsWith("/interaction/") === true;
    if (asked) response.writeHead(200, { "content-type": "text/html" }).end(LOGIN);
    return asked;
  };

test("only the providers that are configured are offered", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/login");
  const offered = ada.page.getByRole("link", { name: /^Continue with/ });
  await offered.first().waitFor();
  expect(await offered.allTextContents()).toEqual(["Continue with Google", "Continue with Apple"]);
});

for (const [name, label] of [
  ["google", "Google"],
  ["apple", "Apple"],
] as const)
  test(`a first sign-in with ${label} makes an account and leads to where it was wanted`, async () => {
    const ada = await visit(running, chromium);
    const email = newAddress();
    await ada.open("/login?return_to=%2Fsecurity");
    await ada.page.getByRole("link", { name: `Continue with ${label}` }).click();
    await ada.fill("Subject", openId[name].person({ email, email_verified: true, name: "Ada" }));
    await ada.press("Log in");
    await ada.heading("Account security");
    await ada.page.getByText(email).first().waitFor();
    await asserted(ada.page.getByRole("button", { name: `Remove ${label}` }).waitFor());
  });

test("who refuses at the provider is back at the login page, with kind words", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/login");
  await ada.page.getByRole("link", { name: "Continue with Google" }).click();
  await ada.press("Refuse");
  await ada.page.getByRole("alert").getByText("Signing in did not work").waitFor();
  expect(ada.at()).toBe("/login?error=authentication_failed");
});
