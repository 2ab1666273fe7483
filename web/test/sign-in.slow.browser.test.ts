// Getting in and out, in a real browser, as a person does it.
import { expect, test } from "vitest";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { service } from "../../server/test/world.ts";
import { inside, newAddress, PASSWORD, register, signIn, visit } from "./visit.ts";

const running = service({});
const chromium = browser();

test("somebody registers, creates a Workspace, signs out and signs in again", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const slug = `engines-${process.pid}`;
  await ada.fill("Name", "Analytical Engines");
  expect(await ada.page.getByLabel("Address", { exact: true }).inputValue()).toBe("analytical-engines");
  await ada.fill("Address", slug);
  await ada.press("Create Workspace");
  await inside(ada);
  await ada.open("/account");
  await ada.heading("Hello, Ada");
  await ada.page.getByText(`/${slug} · owner`).waitFor();
  await ada.page.getByText("You are here").waitFor();
  await ada.press("Sign out");
  await ada.heading("You are signed out");
  // What is left only says that this browser has signed in before.
  expect((await ada.page.context().cookies()).map(({ name }) => name)).toEqual(["__Host-svc_device"]);
  await ada.page.getByRole("link", { name: "Sign in again" }).click();
  const kept = () => ada.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  // Nothing is kept of whoever has left, and again of whoever is back on the same page.
  await expect.poll(kept).toEqual([]);
  await signIn(ada, email);
  await inside(ada);
  expect(ada.at()).toBe(`/workspaces/${slug}`);
  await expect.poll(kept).toEqual([expect.stringMatching(/^svc:/)]);
});

test("a wrong password is said at the form, which keeps the address and takes the focus to what was said", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/login");
  await signIn(ada, newAddress());
  const alert = ada.page.getByRole("alert");
  await alert.getByText("That did not match").waitFor();
  await expect.poll(() => alert.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await ada.page.getByLabel("Email", { exact: true }).inputValue()).toContain("@example.com");
  expect(ada.at()).toBe("/login");
});

test("what is missing is said at each field, and the first of them has the focus", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.press("Create account");
  const email = ada.page.getByLabel("Email", { exact: true });
  await expect.poll(() => email.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await email.getAttribute("aria-invalid")).toBe("true");
  const described = (await email.getAttribute("aria-describedby")) as string;
  expect(await ada.page.locator(`[id="${described}"]`).textContent()).toMatch(/^Enter an email address/);
  expect(await ada.page.getByLabel("Password", { exact: true }).getAttribute("aria-invalid")).toBe("true");
});

test("the length of a new password is told while it is typed, and a stolen one at its field", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", newAddress());
  await ada.fill("Password", "elevenchars");
  await ada.page.getByText("(11 so far)").waitFor();
  await ada.press("Create account");
  await ada.page.getByText("Use at least 12 characters: 1 more.").waitFor();
  await ada.fill("Password", "password1234");
  await ada.page.getByText("(met)").waitFor();
  await ada.press("Create account");
  await ada.page.getByText("This password is in a list of stolen ones").waitFor();
  expect(await ada.page.getByLabel("Password", { exact: true }).getAttribute("aria-invalid")).toBe("true");
});

test("an address that has an account leads to signing in", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  const refusal = "This address has an account already. Sign in with it, or use another address.";
  await asserted(ada.page.getByText(refusal).waitFor());
});

test("signing in needs no mouse", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  await ada.page.context().clearCookies();
  await ada.open("/login");
  const { keyboard } = ada.page;
  const focused = () =>
    ada.page.evaluate(() => (document.activeElement as HTMLInputElement).name || document.activeElement?.textContent);
  await expect.poll(focused, { message: "what is typed first has the focus" }).toBe("email");
  await keyboard.type(email);
  await keyboard.press("Tab");
  expect(await focused(), "and the password follows it").toBe("password");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await ada.heading("Create a Workspace");
});

test("the first field has the focus, and Tab goes through a page as it is read: down, and from left to right", async () => {
  const ada = await visit(running, chromium);
  await register(ada);
  await ada.open("/security");
  await ada.press("Change password");
  const opened = ada.page.getByLabel("Present password", { exact: true });
  await expect.poll(() => opened.evaluate((element) => element === document.activeElement)).toBe(true);
  await ada.page.context().clearCookies();
  for (const width of [1280, 375])
    for (const [path, first] of [
      ["/login", "email"],
      ["/register", "display_name"],
      ["/forgot", "email"],
    ] as const) {
      await ada.page.setViewportSize({ width, height: 800 });
      await ada.open(path);
      const at = () =>
        ada.page.evaluate(() => {
          const { name, tagName, type } = document.activeElement as HTMLInputElement;
          const { top, bottom, left } = (document.activeElement as Element).getBoundingClientRect();
          return { name, kind: `${tagName} ${type}`, top: top + scrollY, bottom: bottom + scrollY, left };
        });
      await expect.poll(async () => (await at()).name, { message: path }).toBe(first);
      let before = await at();
      while (before.kind !== "BUTTON submit") {
        await ada.page.keyboard.press("Tab");
        const now = await at();
        const beside = now.top < before.bottom && now.left > before.left;
        expect(beside || now.top >= before.bottom - 1, `${path}: ${now.kind} after ${before.kind}`).toBe(true);
        before = now;
      }
    }
});

test("an address that only the service finds wrong is said in words for people", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", "ada@example..com");
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await asserted(ada.page.getByText("Enter an email address, like ada@example.com.").waitFor());
});

test("a form is sent once, however often its button is pressed", async () => {
  const ada = await visit(running, chromium);
  let sent = 0;
  ada.page.on("request", (request) => {
    if (request.url().endsWith("/auth/register")) sent += 1;
  });
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", newAddress());
  await ada.fill("Password", PASSWORD);
  await ada.page.getByRole("button", { name: "Create account" }).evaluate((button: HTMLButtonElement) => {
    for (let presses = 0; presses < 5; presses++) button.click();
  });
  await ada.heading("Create a Workspace");
  expect(sent).toBe(1);
});

test("without remember me the cookies end with the browser", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const lifetimes = async () => (await ada.page.context().cookies()).map(({ expires }) => expires > 0);
  expect(await lifetimes()).toEqual([true, true, true]);
  await ada.page.context().clearCookies();
  await ada.open("/login");
  await ada.page.getByLabel("Keep me signed in on this device").uncheck();
  await signIn(ada, email);
  await ada.heading("Create a Workspace");
  expect(await lifetimes()).toEqual([false, false]);
});

test("after signing in one is where one wanted to go, and never on another host", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  for (const [asked, reached] of [
    ["/security", "/security"],
    ["https://evil.example/", "/workspaces/new"],
    ["//evil.example/", "/workspaces/new"],
    ["/\\evil.example/", "/workspaces/new"],
    ["javascript:alert(1)", "/workspaces/new"],
  ] as const) {
    await ada.page.context().clearCookies();
    await ada.open(`/login?return_to=${encodeURIComponent(asked)}`);
    await signIn(ada, email);
    await ada.page.waitForURL((url) => url.pathname !== "/login");
    expect(ada.at(), asked).toBe(reached);
  }
});

test("a page for signed-in people leads somebody else through sign-in and back", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  await ada.page.context().clearCookies();
  await ada.open("/security");
  await ada.heading("Sign in");
  expect(ada.at()).toBe("/login?return_to=%2Fsecurity");
  await signIn(ada, email);
  await ada.heading("Account security");
});

test("a failed sign-in with a provider is told kindly", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/login?error=authentication_failed");
  await ada.page.getByRole("alert").getByText("Signing in did not work").waitFor();
  expect(await ada.page.getByRole("link", { name: /^Continue with/ }).count()).toBe(0);
});
