// The journeys of an account: register, verify the address and create a Workspace; sign out, replace a forgotten
// password and sign in again.
import { expect, test } from "vitest";
import { hashPassword } from "../../server/src/accounts/identity/passwords/password.ts";
import { browser } from "../../server/test/browser.ts";
import { linkTo } from "../../server/test/mailbox.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";
import { inside, newAddress, PASSWORD, signIn, type Visit, visit } from "./visit.ts";

const running = service();
const chromium = browser();
const NEW = "another horse battery staple";

const follow = async (person: Visit, email: string) => {
  const { pathname, search } = await linkTo(running, email);
  await person.open(pathname + search);
};

test("a person registers, verifies the address and creates a Workspace", async () => {
  const ada = await visit(running, chromium);
  const { page } = ada;
  const email = newAddress();
  const slug = `engines-${process.pid}`;
  await ada.open("/");
  await ada.shows("/");
  await page.getByRole("link", { name: "Create an account" }).click();
  await ada.shows("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", "password1234");
  await ada.press("Create account");
  await page.getByText("This password is in a list of stolen ones").waitFor();
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await ada.heading("Create a Workspace");
  await ada.shows("/workspaces/new");

  await ada.open("/");
  await ada.shows("/account");
  await page.getByText("Your address is not verified yet").waitFor();
  await follow(ada, email);
  await ada.heading("Your address is verified");
  await ada.shows("/verified");
  expect(ada.at()).toBe("/verified");
  await page.reload();
  await ada.heading("Your address is verified");
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByText("Verified address").waitFor();
  await follow(ada, email);
  await ada.heading("This link does not work any more");

  await ada.open("/workspaces/new");
  await ada.fill("Name", "Analytical Engines");
  expect(await page.getByLabel("Address", { exact: true }).inputValue()).toBe("analytical-engines");
  await ada.fill("Address", slug);
  await ada.press("Create Workspace");
  await inside(ada);
  expect(ada.at()).toBe(`/workspaces/${slug}`);
});

test("a person signs out, replaces a forgotten password and signs in with the new one", async () => {
  const home = await world(running);
  const { userId, email } = home.owner;
  const change =
    "update users set password_hash = $2, email_verified_at = now(), email_proved_at = now() where id = $1";
  await running.sql(change, [userId, await hashPassword(PASSWORD)]);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  await ada.goTo("");
  await inside(ada);
  await expect.poll(databases).toEqual([expect.stringMatching(/^svc:/)]);
  await ada.open("/account");
  await page.getByText("You are here").waitFor();
  await ada.press("Sign out");
  await ada.heading("You are signed out");
  await ada.shows("/signed-out");
  expect(await page.context().cookies()).toEqual([]);
  await page.getByRole("link", { name: "Sign in again" }).click();
  await ada.shows("/login");
  await expect.poll(databases, { message: "the replica is deleted" }).toEqual([]);

  await page.getByRole("link", { name: "Forgot password?" }).click();
  await ada.shows("/forgot");
  await ada.fill("Email", email);
  await ada.press("Send the link");
  await ada.heading("Look into your mail");
  await follow(ada, email);
  await ada.heading("Set a new password");
  await ada.shows("/reset");
  expect(ada.at()).toBe("/reset");
  expect(await page.evaluate(() => JSON.stringify([history.state, location.href]))).not.toContain("svc_lnk");
  await ada.fill("New password", NEW);
  await ada.press("Set password");
  await ada.heading("Your password is set");
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await signIn(ada, email);
  await page.getByText("That did not match").waitFor();
  await signIn(ada, email, NEW);
  await inside(ada);
  await ada.open("/reset");
  await page.getByText("This link does not work any more").waitFor();
});

test("the error page shows a text for the code in its address, and nothing else of the address", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/error?code=invalid_redirect_uri&text=Call+this+number");
  await ada.shows("/error");
  await ada.page.getByRole("main").getByRole("link", { name: "Home" }).waitFor();
  expect(await ada.page.locator("body").innerText()).not.toContain("Call this number");
});
