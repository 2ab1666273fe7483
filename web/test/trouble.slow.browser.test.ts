// What a person reads when it does not work: too many attempts, maintenance, no connection. And the watchers of these
// tests, shown something planted.
import { expect, test } from "vitest";
import { parseRates } from "../../server/src/platform/wire/limits/rate-limit.ts";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { service } from "../../server/test/world.ts";
import { newAddress, register, signIn, visit } from "./visit.ts";

const strict = service({ rateLimits: parseRates("sign_in=3/120") });
const closed = service({ maintenance: "on" });
const chromium = browser();

test("too many attempts are told with the time to wait, which runs down", async () => {
  const ada = await visit(strict, chromium);
  await ada.open("/login");
  const alert = ada.page.getByRole("alert");
  await signIn(ada, newAddress());
  await alert.getByText("That did not match").waitFor();
  for (let attempts = 0; attempts < 3; attempts++) {
    const answered = ada.page.waitForResponse((response) => response.url().endsWith("/auth/login"));
    await ada.press("Sign in");
    await answered;
    await ada.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  }
  await alert.getByText("Too many attempts").waitFor();
  const shown = alert.locator("span[aria-hidden=true]");
  const first = await shown.textContent();
  expect(first).toMatch(/^Please try again in \d+ seconds\.$/);
  await expect.poll(() => shown.textContent()).not.toBe(first);
});

test("maintenance is told with the time to wait, and the pages still open", async () => {
  const ada = await visit(closed, chromium);
  await ada.open("/login");
  await signIn(ada, newAddress());
  const alert = ada.page.getByRole("alert");
  await alert.getByText("We are doing maintenance").waitFor();
  await asserted(alert.getByText("Please try again in 60 seconds.").first().waitFor());
});

test("without a connection nothing that was typed is lost, and trying again works", async () => {
  const ada = await visit(strict, chromium);
  await ada.open("/register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", newAddress());
  await ada.fill("Password", "correct horse battery staple");
  await ada.page.route("**/auth/register", (route) => route.abort());
  await ada.press("Create account");
  await ada.page.getByRole("alert").getByText("We cannot reach the service").waitFor();
  ada.faults.length = 0;
  await ada.page.unroute("**/auth/register");
  await ada.press("Create account");
  await asserted(ada.heading("Create a Workspace"));
});

test("a session that has ended elsewhere leads to signing in and back", async () => {
  const ada = await visit(strict, chromium);
  const email = await register(ada);
  // The form is there once the page has asked whether this is the first Workspace.
  await ada.page.getByLabel("Name", { exact: true }).waitFor();
  await strict.sql(
    "update credentials set revoked_at = now() where user_id = (select id from users where email = $1)",
    [email],
  );
  await ada.fill("Name", "Engines");
  await ada.press("Create Workspace");
  await ada.page.getByRole("alert").getByText("Please sign in again").waitFor();
  await ada.page.getByRole("alert").getByRole("link", { name: "Sign in" }).click();
  await ada.heading("Sign in");
  expect(ada.at()).toBe("/login?return_to=%2Fworkspaces%2Fnew");
});

test("what the policy refuses, and what another host is asked for, is noticed", async () => {
  const ada = await visit(strict, chromium);
  await ada.open("/login");
  await ada.page.evaluate(() => {
    document.body.setAttribute("style", "color: red");
    const picture = new Image();
    picture.src = "https://elsewhere.example/x.png";
  });
  for (const refused of ["policy refused style-src-attr", "policy refused img-src"])
    await expect.poll(() => ada.faults.join("\n")).toContain(refused);
  ada.faults.length = 0;
});
