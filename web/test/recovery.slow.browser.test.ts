// Links from mails: the address is verified, a forgotten password is replaced, an address is changed. The secret of a
// link never stays in the address bar.
import { expect, test } from "vitest";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { linkTo } from "../../server/test/mailbox.ts";
import { service } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { newAddress, PASSWORD, register, signIn, type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();
const NEW = "another horse battery staple";

const follow = async (person: Visit, email: string) => {
  const { pathname, search } = await linkTo(running, email);
  await person.open(pathname + search);
};

test("the page of a verified address claims nothing to somebody who did not come by the link, and says what to do", async () => {
  const ada = await visit(running, chromium);
  for (const typed of ["/verified", "/verified#done", "/verified?done=1#token=x"]) {
    await ada.open(typed);
    await ada.heading("Open the link in the mail");
  }
  await ada.page.getByText("Sign in to have the mail sent again").waitFor();
  expect(await ada.page.getByRole("link", { name: "Sign in", exact: true }).getAttribute("href")).toBe("/login");
  await look(ada, "verified-without");
  const email = await register(ada);
  await ada.open("/verified");
  await ada.heading("Open the link in the mail");
  await look(ada, "verified-without-in");
  await ada.press("Send it again");
  await ada.page.getByText("A new mail is on its way").waitFor();
  await follow(ada, email);
  await ada.heading("Your address is verified");
  await look(ada, "verified");
  // Now the account itself says so.
  await ada.open("/verified");
  await ada.heading("Your address is verified");
  await ada.page.context().clearCookies();
  await ada.open("/login");
  await ada.open("/verified");
  await ada.heading("Open the link in the mail");
});

test("whoever follows the link without being signed in is told so, in this tab and until it goes elsewhere", async () => {
  const email = await register(await visit(running, chromium));
  const ada = await visit(running, chromium);
  await follow(ada, email);
  await ada.heading("Your address is verified");
  expect(await ada.page.evaluate(() => document.cookie)).toBe("");
  await ada.page.reload();
  await ada.heading("Your address is verified");
  await ada.page.getByRole("link", { name: "Sign in", exact: true }).click();
  await ada.open("/verified");
  await ada.heading("Open the link in the mail");
});

test("a forgotten password is replaced with the link of a mail, once, and every device is signed out", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  await follow(ada, email);
  await ada.open("/login");
  await ada.page.getByRole("link", { name: "Forgot password?" }).click();
  await ada.fill("Email", email);
  await ada.press("Send the link");
  await ada.heading("Look into your mail");
  await follow(ada, email);
  await ada.heading("Set a new password");
  expect(ada.at()).toBe("/reset");
  expect(await ada.page.evaluate(() => JSON.stringify([history.state, location.href]))).not.toContain("svc_lnk");
  await ada.fill("New password", "password1234");
  await ada.press("Set password");
  await ada.page.getByText("This password is in a list of stolen ones").waitFor();
  await ada.fill("New password", NEW);
  await ada.press("Set password");
  await ada.heading("Your password is set");
  await ada.page.getByRole("link", { name: "Sign in", exact: true }).click();
  await signIn(ada, email);
  await ada.page.getByText("That did not match").waitFor();
  await signIn(ada, email, NEW);
  await ada.heading("Create a Workspace");
  await ada.open("/reset");
  await ada.page.getByText("This link does not work any more").waitFor();
});

test("an address without an account is answered alike", async () => {
  const nobody = await visit(running, chromium);
  await nobody.open("/forgot");
  await nobody.fill("Email", newAddress());
  await nobody.press("Send the link");
  await asserted(nobody.heading("Look into your mail"));
});

test("the address changes when the new one has proved itself, also where one must sign in on the way", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const next = newAddress();
  await ada.open("/security");
  await ada.press("Change address");
  await ada.fill("New email", next);
  await ada.fill("Your password", "not my password");
  await ada.press("Send the link");
  await ada.page.getByText("That is not your password.").waitFor();
  await ada.fill("Your password", PASSWORD);
  await ada.press("Send the link");
  await ada.page.getByText("Until then nothing changes.").waitFor();
  await ada.page.context().clearCookies();
  await follow(ada, next);
  await ada.heading("Sign in");
  expect(ada.at()).toBe("/login?return_to=%2Femail-change");
  await signIn(ada, email);
  await ada.heading("Confirm your new address");
  await ada.press("Confirm the new address");
  await ada.heading("Your address is changed");
  await ada.page.getByText(next).waitFor();
});
