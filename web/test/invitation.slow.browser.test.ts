// An invitation from its mail to the Workspace: for people who are signed in, who sign in on the way, and who have no
// account yet.

import { createClient } from "@svc/client";
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { lettersTo } from "../../server/test/mailbox.ts";
import { endInvitation, invite, setMembership } from "../../server/test/people.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { inside, newAddress, PASSWORD, register, signIn, type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();

async function inviting(email: string, role = "member") {
  const place = await world(running);
  await running.sql("update workspaces set name = 'Analytical Engines' where id = $1", [place.workspaceId]);
  await running.sql(
    "update users set display_name = 'Grace', email_verified_at = now(), email_proved_at = now() where id = $1",
    [place.owner.userId],
  );
  const { body } = await invite(place.owner, place, { email, role });
  return { ...place, invitation: body as { id: string; token: string } };
}
const follow = async (person: Visit, email: string) => {
  const letters = (await lettersTo(running, email)).map(({ text }) => text).join();
  const { pathname, search } = new URL(/https?:\S+\/invitation\?\S+/.exec(letters)?.[0] as string);
  await person.open(pathname + search);
};
/** Who and where the browser's session is, as the service sees it. */
const me = async ({ page }: Visit) => {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return createClient({ url: running.url, headers: { cookie } }).getMe();
};
const memberships = async ({ workspaceId }: World) =>
  (await running.sql("select from memberships where workspace_id = $1", [workspaceId])).length;

test("signed in with the invited address, one click accepts and leads into the Workspace", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const place = await inviting(email, "viewer");
  await follow(ada, email);
  await ada.heading("You are invited");
  expect(ada.at()).toBe("/invitation");
  await ada.page.getByText("Grace invites you to the Workspace Analytical Engines, as a viewer.").waitFor();
  await ada.page.getByText(`The invitation is for ${email}`).waitFor();
  await ada.page.getByText(`You are signed in as ${email}`).waitFor();
  await look(ada, "invitation-accept");
  expect(await memberships(place)).toBe(1);
  await ada.press("Accept the invitation");
  await ada.heading("Welcome to Analytical Engines");
  await ada.page.getByText("as a viewer").waitFor();
  await look(ada, "invitation-accepted");
  expect(await me(ada)).toMatchObject({ workspace_id: place.workspaceId, email_verified: true });
  await ada.page.getByRole("link", { name: "Go on" }).click();
  await inside(ada);
  await ada.open("/account");
  await ada.page.getByText("You are here").waitFor();
  await ada.page.getByText("Verified address").waitFor();
  await ada.open("/invitation");
  await ada.page.getByText("This invitation does not work").waitFor();
});

test("who is not signed in signs in on the way; the token stays in this tab and in no address", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const place = await inviting(email);
  await ada.page.context().clearCookies();
  const seen: string[] = [];
  ada.page.on("request", (request) => seen.push(request.url()));
  await follow(ada, email);
  await ada.page.getByText("Grace invites you to the Workspace Analytical Engines, as a member.").waitFor();
  await ada.page.getByText(`The invitation is for ${email}`).waitFor();
  await look(ada, "invitation-out");
  await ada.page.getByRole("link", { name: "Sign in" }).click();
  expect(ada.at()).toBe("/login?return_to=%2Finvitation");
  await signIn(ada, email);
  await ada.heading("You are invited");
  await ada.press("Accept the invitation");
  await ada.heading("Welcome to Analytical Engines");
  expect(await memberships(place)).toBe(2);
  const afterTheLink = seen.slice(seen.findIndex((url) => url.includes("/continuations/")) + 1);
  expect(afterTheLink.filter((url) => new URL(url).search.includes("svc_inv"))).toEqual([]);
  expect(await ada.page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
    "svc_inv",
  );
});

test("who has no account registers with the invitation, and is in the Workspace at once with a proved address", async () => {
  const ada = await visit(running, chromium);
  const email = newAddress();
  const place = await inviting(email, "admin");
  await follow(ada, email);
  await ada.page.getByRole("link", { name: "Create an account" }).click();
  expect(ada.at()).toBe("/register?return_to=%2Finvitation");
  await ada.page.getByText("Grace invites you to the Workspace Analytical Engines, as an admin.").waitFor();
  await ada.page.getByText(`The invitation is for ${email}`).waitFor();
  await look(ada, "invitation-register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await inside(ada);
  expect(await me(ada)).toMatchObject({ workspace_id: place.workspaceId, email_verified: true, email });
});

test("with another address the registration says so, and can go on without the invitation", async () => {
  const ada = await visit(running, chromium);
  const invited = newAddress();
  const place = await inviting(invited);
  await follow(ada, invited);
  await ada.page.getByRole("link", { name: "Create an account" }).click();
  const email = newAddress();
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await ada.page.getByText("This invitation does not work").waitFor();
  await look(ada, "invitation-register-refused");
  await ada.press("Go on without the invitation");
  expect(await ada.page.getByLabel("Email", { exact: true }).inputValue()).toBe(email);
  await ada.press("Create account");
  await ada.heading("Create a Workspace");
  expect(await memberships(place)).toBe(1);
});

test("signed in with another address, the page says so before the click, with the invited address and the way on", async () => {
  const ada = await visit(running, chromium);
  const invited = await register(ada);
  await ada.page.context().clearCookies();
  const present = await register(ada);
  const place = await inviting(invited);
  await follow(ada, invited);
  await ada.page.getByText("You are signed in with another address").waitFor();
  await ada.page.getByText(`You are signed in as ${present}.`).waitFor();
  await ada.page.getByText(`sign in or create an account with ${invited}.`).waitFor();
  expect(await ada.page.getByRole("button", { name: "Accept the invitation" }).count()).toBe(0);
  await look(ada, "invitation-other-address");
  await ada.press("Sign out and go on");
  await ada.page.getByRole("link", { name: "Create an account" }).waitFor();
  await ada.page.getByRole("link", { name: "Sign in" }).click();
  await signIn(ada, invited);
  await ada.press("Accept the invitation");
  await ada.heading("Welcome to Analytical Engines");
  expect(await memberships(place)).toBe(2);
});

test("what only accepting finds out is told in kind words: an address that has changed meanwhile, a suspended member", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const { id } = await me(ada);
  const moved = await inviting(email);
  await follow(ada, email);
  await ada.page.getByRole("button", { name: "Accept the invitation" }).waitFor();
  await running.sql("update users set email = $2 where id = $1", [id, newAddress()]);
  await ada.press("Accept the invitation");
  await ada.page.getByText("You are signed in with another address").waitFor();
  await ada.page.getByText(`sign in or create an account with ${email}.`).waitFor();
  expect(await memberships(moved)).toBe(1);
  await running.sql("update users set email = $2 where id = $1", [id, email]);
  const suspended = await inviting(email);
  const member = await suspended.member("member");
  await running.sql("update memberships set user_id = $2 where user_id = $1", [member.userId, id]);
  await setMembership(running, suspended, { ...member, userId: id }, "state = 'suspended'");
  await ada.open("/");
  await ada.open(`/invitation#token=${suspended.invitation.token}`);
  await ada.press("Accept the invitation");
  await ada.page.getByRole("alert").getByText("Your membership is suspended").waitFor();
});

test("an expired, a withdrawn and an unknown invitation are told at once, to everybody, and name nobody", async () => {
  const [ada, nobody] = [await visit(running, chromium), await visit(running, chromium)];
  const email = await register(ada);
  const expired = await inviting(email);
  await endInvitation(running, expired.invitation.id);
  const withdrawn = await inviting(email);
  await clientOf(withdrawn.owner).revokeInvitation({
    workspace_id: withdrawn.workspaceId,
    invitation_id: withdrawn.invitation.id,
  });
  for (const person of [ada, nobody])
    for (const [token, text] of [
      [expired.invitation.token, "This invitation has expired"],
      [withdrawn.invitation.token, "This invitation does not work"],
      ["svc_inv_nonsense", "This invitation does not work"],
    ]) {
      await person.open("/forgot");
      await person.open(`/invitation#token=${token}`);
      await person.page
        .getByRole("alert")
        .getByText(text as string)
        .waitFor();
      expect(await person.page.locator("main").innerText()).not.toMatch(/Grace|Analytical|@/);
      expect(await person.page.getByRole("button").count()).toBe(0);
    }
  await look(nobody, "invitation-gone");
  await nobody.page.getByRole("link", { name: "Go on without it" }).click();
  await nobody.heading("Team work management as an API");
});

test("names that could pass for a link, and an inviter without a proved address, are not shown", async () => {
  const nobody = await visit(running, chromium);
  const place = await inviting(newAddress());
  await running.sql("update workspaces set name = 'Win at evil.example' where id = $1", [place.workspaceId]);
  await running.sql("update users set email_proved_at = null where id = $1", [place.owner.userId]);
  await nobody.open(`/invitation#token=${place.invitation.token}`);
  await asserted(nobody.page.getByText("Somebody invites you to a Workspace, as a member.").waitFor());
});

test("where the invitation cannot be read for now, it can be tried again", async () => {
  const nobody = await visit(running, chromium);
  const place = await inviting(newAddress());
  let lost = 0;
  await nobody.page.route("**/api/v1/invitations/read", (route) => (lost++ > 0 ? route.continue() : route.abort()));
  await nobody.open(`/invitation#token=${place.invitation.token}`);
  await nobody.page.getByText("We cannot reach the service").waitFor();
  await nobody.press("Try again");
  await asserted(nobody.page.getByText("Grace invites you to the Workspace Analytical Engines").waitFor());
  nobody.faults.splice(0, nobody.faults.length, ...nobody.faults.filter((fault) => !fault.includes("net::ERR_FAILED")));
});

test("an answer that was lost on the way is found again by the next click", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const place = await inviting(email);
  await follow(ada, email);
  let lost = 0;
  await ada.page.route("**/api/v1/invitations/accept", async (route) => {
    if (lost++ > 0) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await ada.press("Accept the invitation");
  await ada.page.getByText("We cannot reach the service").waitFor();
  expect(await memberships(place)).toBe(2);
  await ada.press("Accept the invitation");
  await ada.heading("Welcome to Analytical Engines");
  ada.faults.splice(0, ada.faults.length, ...ada.faults.filter((fault) => !fault.includes("net::ERR_FAILED")));
});
