// Proving again who is there, in a real browser: the page asks in place, loses nothing that was typed, and goes on by
// itself.
import { afterAll, expect, test } from "vitest";
import { browser, virtualAuthenticator } from "../../server/test/browser.ts";
import { asked, cli, newVerifier } from "../../server/test/oauth.ts";
import { openIdProviders } from "../../server/test/openid-provider.ts";
import { age } from "../../server/test/recency.ts";
import { codeOf, earlyInStep, withFactor, wrongCode } from "../../server/test/second-factor.ts";
import { service } from "../../server/test/world.ts";
import { faultsOf } from "./look.ts";
import { inside, newAddress, PASSWORD, register, type Visit, visit } from "./visit.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const { google } = openId.config;
const running = service({ providers: { google } as typeof openId.config });
const chromium = browser();
const LOGIN =
  '<title>Provider</title><form method="post"><label>Subject <input name="login"></label><button>Log ' +
  "in</button></form>";
openId.google.faulty = ({ method, url }, response) => {
  const form = method === "GET" && url?.startsWith("/interaction/") === true;
  if (form) response.writeHead(200, { "content-type": "text/html" }).end(LOGIN);
  return form;
};

const idOf = async (email: string) =>
  (await running.sql<{ id: string }>("select id from users where email = $1", [email]))[0]?.id as string;
const sessionsOf = async (userId: string) =>
  running.sql<{ id: string }>("select id from credentials where user_id = $1 and kind = 'session'", [userId]);
const dialog = ({ page }: Visit) => page.getByRole("dialog", { name: "Please confirm that it is you" });
/** A field takes the focus once it is drawn, which is after the dialog around it. */
const focused = ({ page }: Visit) =>
  expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name ?? ""));

/** Signed in a while ago, at the page of the account's security. */
async function longAgo() {
  const ada = await visit(running, chromium);
  await virtualAuthenticator(ada.page);
  const userId = await idOf(await register(ada));
  await ada.open("/security");
  await ada.heading("Account security");
  await age(running, userId);
  return { ada, userId };
}
async function addPasskey(ada: Visit, name: string) {
  await ada.press("Add a passkey");
  await ada.fill("Name", name);
  await ada.press("Add passkey");
}

test("the password is asked for in place, what was typed stays, and the request goes on by itself in the same session", async () => {
  const { ada, userId } = await longAgo();
  const before = await sessionsOf(userId);
  await addPasskey(ada, "Laptop");
  await dialog(ada).waitFor();
  await focused(ada).toBe("current_password");
  expect(await faultsOf(ada.page)).toEqual([]);
  await ada.page.setViewportSize({ width: 320, height: 640 });
  expect(await ada.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  if (process.env.SHOTS) await ada.page.screenshot({ path: `${process.env.SHOTS}/step-up-phone.png` });
  await ada.page.setViewportSize({ width: 1280, height: 800 });
  if (process.env.SHOTS) await ada.page.screenshot({ path: `${process.env.SHOTS}/step-up.png` });
  await ada.fill("Your password", "not my password");
  await ada.press("Confirm");
  await dialog(ada).getByText("That is not your password.").waitFor();
  await focused(ada).toBe("current_password");
  await ada.fill("Your password", PASSWORD);
  await ada.press("Confirm");
  await dialog(ada).waitFor({ state: "detached" });
  await ada.page.getByText("Laptop").waitFor();
  expect(await sessionsOf(userId)).toEqual(before);
});

test("who cancels keeps what was typed, and can try again", async () => {
  const { ada } = await longAgo();
  await addPasskey(ada, "Laptop");
  await dialog(ada).waitFor();
  await ada.page.keyboard.press("Escape");
  await dialog(ada).waitFor({ state: "detached" });
  await ada.page.getByRole("alert").getByText("We did not confirm that it is you").waitFor();
  expect(await ada.page.getByLabel("Name", { exact: true }).inputValue()).toBe("Laptop");
  await ada.press("Add passkey");
  await ada.fill("Your password", PASSWORD);
  await ada.press("Confirm");
  await ada.page.getByText("Laptop").waitFor();
});

test("a passkey proves it, without a password", async () => {
  const { ada, userId } = await longAgo();
  await addPasskey(ada, "Laptop");
  await ada.fill("Your password", PASSWORD);
  await ada.press("Confirm");
  await ada.page.getByText("Laptop").waitFor();
  await age(running, userId);
  await ada.press("Set up an authenticator");
  await ada.press("Confirm with a passkey");
  await dialog(ada).waitFor({ state: "detached" });
  await ada.page.getByRole("img", { name: "QR code for your authenticator" }).waitFor();
  await focused(ada).toBe("code");
});

test("with a second factor its code is asked for, and not the password", async () => {
  const { ada, userId } = await longAgo();
  const secret = await withFactor(running, userId);
  await earlyInStep();
  await addPasskey(ada, "Laptop");
  await dialog(ada).getByLabel("Code", { exact: true }).fill(wrongCode(secret));
  expect(await dialog(ada).getByLabel("Your password").count()).toBe(0);
  await ada.press("Confirm");
  await dialog(ada).getByText("Enter the code that your authenticator shows now").waitFor();
  await dialog(ada).getByLabel("Code", { exact: true }).fill(codeOf(secret));
  await ada.press("Confirm");
  await ada.page.getByText("Laptop").waitFor();
});

test("an account that has nothing but a provider proves it there, in a window of its own, while the page waits", async () => {
  const ada = await visit(running, chromium);
  const email = newAddress();
  const subject = openId.google.person({ email, email_verified: true, name: "Ada" });
  await ada.open("/login?return_to=%2Fsecurity");
  await ada.page.getByRole("link", { name: "Continue with Google" }).click();
  await ada.fill("Subject", subject);
  await ada.press("Log in");
  await ada.heading("Account security");
  const userId = await idOf(email);
  const before = await sessionsOf(userId);
  await age(running, userId);
  await ada.press("Change address");
  await ada.fill("New email", newAddress());
  await ada.press("Send the link");
  await dialog(ada).waitFor();
  const opened = ada.page.waitForEvent("popup");
  await ada.press("Confirm with Google");
  const window = await opened;
  await window.getByLabel("Subject").fill(subject);
  await window.getByRole("button", { name: "Log in" }).click();
  await dialog(ada).waitFor({ state: "detached" });
  await ada.page.getByText("Open the link that we sent to").waitFor();
  expect(await sessionsOf(userId)).toEqual(before);
});

test("an invitation from the settings is sent, and a client allowed, once it is proved", async () => {
  const { ada, userId } = await longAgo();
  await ada.open("/workspaces/new");
  await ada.fill("Name", "Acme");
  await ada.press("Create Workspace");
  await inside(ada);
  await age(running, userId);
  await ada.open("/workspaces/acme/settings/members");
  await ada.fill("Mail address", "grace@example.com");
  await ada.page.getByRole("combobox", { name: "Role", exact: true }).selectOption("admin");
  await ada.press("Send the invitation");
  await dialog(ada).waitFor();
  await ada.fill("Your password", PASSWORD);
  await ada.press("Confirm");
  await ada.page.getByText("grace@example.com").waitFor();
  const call = async (_method: string, path: string) => {
    const { location, text } = await ada.page.evaluate(async (at) => {
      const answer = await fetch(`/api/v1${at}`, { redirect: "follow" });
      const { pathname, search } = new URL(answer.url);
      return { location: answer.redirected ? pathname + search : null, text: await answer.text() };
    }, path);
    return { headers: new Headers(location === null ? {} : { location }), text };
  };
  const request = await asked({ call } as never, cli, newVerifier());
  await age(running, userId);
  await ada.open(`/consent?request=${request}`);
  await ada.press("Allow");
  await dialog(ada).waitFor();
  await ada.fill("Your password", PASSWORD);
  const answered = ada.page.waitForResponse((response) => response.url().endsWith("/oauth/consent") && response.ok());
  await ada.press("Confirm");
  expect((await answered).status()).toBe(201);
  ada.faults.length = 0;
});
