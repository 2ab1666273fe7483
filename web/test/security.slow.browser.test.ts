// Second factor, passkeys and sessions, as a person sets them up and uses them.
import decoder from "jsqr";
import { expect, test } from "vitest";
import { asserted } from "../../server/test/asserts.ts";
import { browser, virtualAuthenticator } from "../../server/test/browser.ts";
import { lettersTo } from "../../server/test/mailbox.ts";
import { codeOf, wrongCode } from "../../server/test/second-factor.ts";
import { service } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { PASSWORD, register, signIn, type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();
const jsQR = decoder.default;

/** What a phone sees when it is held before the page: every module eight dots wide, on white. */
async function scanned({ page }: Visit): Promise<string | undefined> {
  const drawing = page.getByRole("img", { name: "QR code for your authenticator" });
  const modules = Number((await drawing.getAttribute("viewBox"))?.split(" ")[2]);
  const path = (await drawing.locator("path").getAttribute("d")) as string;
  const width = modules * 8;
  const dots = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < 8; row++)
      for (let column = 0; column < 8; column++) {
        const at = ((Number(y) * 8 + row) * width + Number(x) * 8 + column) * 4;
        dots.fill(0, at, at + 3);
      }
  return jsQR(dots, width, width)?.data;
}

async function setUp(ada: Visit): Promise<{ secret: string; codes: string[] }> {
  await ada.open("/security");
  await ada.press("Set up an authenticator");
  const secret = (await ada.page.locator("code").textContent()) as string;
  await ada.fill("Code", wrongCode(secret));
  await ada.press("Turn it on");
  // Nobody is told to enter a recovery code who has none yet.
  await ada.page.getByText("Enter the six digits that your authenticator shows now.").waitFor();
  expect(await ada.page.getByText("a recovery code that you have not used").count()).toBe(0);
  await ada.fill("Code", codeOf(secret, -1));
  await ada.press("Turn it on");
  await ada.page.getByText("Keep these recovery codes in a safe place").waitFor();
  const codes = await ada.page.locator("ul.font-mono li").allTextContents();
  expect(codes).toHaveLength(10);
  await ada.page.getByText("On", { exact: true }).waitFor();
  await look(ada, "recovery-codes");
  await ada.press("I have kept them");
  await ada.page.getByRole("button", { name: "New recovery codes" }).waitFor();
  return { secret, codes };
}

test("a second factor is set up, asked for at sign-in, replaced by a recovery code and removed", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const { secret, codes } = await setUp(ada);
  await ada.page.context().clearCookies();

  await ada.open("/login?return_to=%2Fsecurity");
  await signIn(ada, email);
  await ada.heading("Second step");
  expect(ada.at()).toBe("/second-factor");
  await ada.fill("Code", wrongCode(secret));
  await ada.press("Confirm");
  await ada.page.getByText("Enter the code that your authenticator shows now").waitFor();
  await ada.fill("Code", codeOf(secret));
  await ada.press("Confirm");
  await ada.heading("Account security");

  await ada.page.context().clearCookies();
  await ada.open("/login");
  await signIn(ada, email);
  await ada.press("Use a recovery code instead");
  await ada.fill("Recovery code", codes[0] as string);
  await ada.press("Confirm");
  await ada.heading("Create a Workspace");

  await ada.open("/security");
  await ada.press("Remove the second factor");
  await ada.fill("Your password", PASSWORD);
  await ada.fill("Code", codes[1] as string);
  await ada.press("Remove the second factor");
  await ada.page.getByRole("button", { name: "Set up an authenticator" }).waitFor();
});

test("a second step without a first leads back to signing in", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/second-factor#token=svc_mfa_made_up&return_to=%2Fsecurity");
  await ada.fill("Code", "123456");
  expect(ada.at()).toBe("/second-factor");
  await ada.press("Confirm");
  await ada.page.getByRole("alert").getByText("Please start again").waitFor();
  await ada.page.getByRole("alert").getByRole("link", { name: "Back to sign in" }).click();
  await ada.heading("Sign in");
});

test("a passkey is added, signs in without a password, is renamed and removed", async () => {
  const ada = await visit(running, chromium);
  await virtualAuthenticator(ada.page);
  await register(ada);
  await ada.open("/security");
  await ada.press("Add a passkey");
  await ada.fill("Name", "Laptop");
  await ada.press("Add passkey");
  await ada.page.getByText("Laptop").waitFor();
  await ada.press("Rename Laptop");
  await ada.fill("Name", "Old laptop");
  await ada.press("Rename");
  await ada.page.getByText("Old laptop").waitFor();
  await ada.page.context().clearCookies();

  await ada.open("/login?return_to=%2Fsecurity");
  // The browser may be faster: with a touch that comes by itself, the passkey that it fills in signs in at once.
  const button = ada.page.getByRole("button", { name: "Sign in with a passkey" });
  const entered = ada.page.getByRole("heading", { name: "Account security" });
  await button.or(entered).first().waitFor();
  if (await button.isVisible()) await Promise.race([entered.waitFor(), button.click().catch(() => {})]);
  await entered.waitFor();

  await ada.press("Remove Old laptop");
  await ada.press("Keep");
  await ada.press("Remove Old laptop");
  await ada.press("Remove Old laptop for good");
  await asserted(ada.page.getByText("Sign in with your fingerprint").waitFor());
});

test("the QR code holds what the authenticator needs", async () => {
  const ada = await visit(running, chromium);
  await register(ada);
  await ada.open("/security");
  const answered = ada.page.waitForResponse((response) => response.url().endsWith("/auth/mfa/totp/setup"));
  await ada.press("Set up an authenticator");
  const { provisioning_uri } = await (await answered).json();
  expect(await scanned(ada)).toBe(provisioning_uri);
});

test("other sessions are listed and ended", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const phone = await visit(running, chromium);
  await phone.open("/login");
  await signIn(phone, email);
  await phone.heading("Create a Workspace");
  await ada.open("/security");
  await ada.page.getByText("This browser").waitFor();
  await ada.press("Sign out everywhere else");
  await ada.page.getByRole("button", { name: "Sign out everywhere else" }).waitFor({ state: "detached" });
  await phone.open("/security");
  await asserted(phone.heading("Sign in"));
  await ada.open("/");
  await asserted(ada.heading("Hello, Ada"));
});

test("the password is changed with the present one", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  await ada.open("/security");
  await ada.press("Change password");
  await ada.fill("Present password", "not my password");
  await ada.fill("New password", "another horse battery staple");
  await ada.press("Change password");
  await ada.page.getByText("That is not your password.").waitFor();
  await ada.fill("Present password", PASSWORD);
  await ada.page.getByLabel("Revoke my API tokens, too").check();
  await ada.press("Change password");
  await ada.page.getByText("Your password is changed.").waitFor();
  expect((await lettersTo(running, email)).at(-1)?.text).toContain("Your API tokens were revoked");
  await ada.page.context().clearCookies();
  await ada.open("/login");
  await signIn(ada, email, "another horse battery staple");
  await ada.heading("Create a Workspace");
});
