// An invitation from its mail to the Workspace: for people who are signed in, who sign in on the way, and who have no account yet.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { lettersTo } from "../../server/test/mailbox.ts";
import { endInvitation, invite, setMembership } from "../../server/test/people.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { newAddress, PASSWORD, register, signIn, type Visit, visit } from "./visit.ts";

const running = service();
const chromium = browser();

async function inviting(email: string, role = "member") {
  const place = await world(running);
  await running.sql("update workspaces set name = 'Analytical Engines' where id = $1", [place.workspaceId]);
  const { body } = await invite(place.owner, place, { email, role });
  return { ...place, invitation: body as { id: string; token: string } };
}
const follow = async (person: Visit, email: string) => {
  const letters = (await lettersTo(running, email)).map(({ text }) => text).join();
  const { pathname, search } = new URL(/https?:\S+\/invitation\?\S+/.exec(letters)?.[0] as string);
  await person.open(pathname + search);
};
/** Who and where the browser's session is, as the service sees it. */
const me = (person: Visit) =>
  person.page.evaluate(async () => (await fetch("/api/v1/me")).json()) as Promise<Record<string, unknown>>;
const memberships = async ({ workspaceId }: World) =>
  (await running.sql("select from memberships where workspace_id = $1", [workspaceId])).length;

test("signed in with the invited address, one click accepts and leads into the Workspace", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const place = await inviting(email, "viewer");
  await follow(ada, email);
  await ada.heading("You are invited");
  expect(ada.at()).toBe("/invitation");
  await ada.page.getByText(email).waitFor();
  await look(ada, "invitation-accept");
  expect(await memberships(place)).toBe(1);
  await ada.press("Accept the invitation");
  await ada.heading("Welcome to Analytical Engines");
  await ada.page.getByText("as a viewer").waitFor();
  await look(ada, "invitation-accepted");
  expect(await me(ada)).toMatchObject({ workspace_id: place.workspaceId, email_verified: true });
  await ada.page.getByRole("link", { name: "Go on" }).click();
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
  await ada.page.getByText("Use the address to which the invitation was sent.").waitFor();
  await look(ada, "invitation-register");
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await ada.heading("Hello, Ada");
  await ada.page.getByText("You are here").waitFor();
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

test("the wrong account, an expired, a withdrawn and an unknown invitation, and a suspended member are told in kind words", async () => {
  const ada = await visit(running, chromium);
  const email = await register(ada);
  const attempt = async (token: string, text: string) => {
    await ada.open("/");
    await ada.open(`/invitation#token=${token}`);
    await ada.press("Accept the invitation");
    await ada.page.getByRole("alert").getByText(text).waitFor();
  };
  const other = await inviting(newAddress());
  await attempt(other.invitation.token, "This invitation is for another address");
  await look(ada, "invitation-mismatch");
  const expired = await inviting(email);
  await endInvitation(running, expired.invitation.id);
  await attempt(expired.invitation.token, "This invitation has expired");
  const withdrawn = await inviting(email);
  await withdrawn.owner.call("DELETE", `/workspaces/${withdrawn.workspaceId}/invitations/${withdrawn.invitation.id}`);
  await attempt(withdrawn.invitation.token, "This invitation does not work");
  await attempt("svc_inv_nonsense", "This invitation does not work");
  const suspended = await inviting(email);
  const member = await suspended.member("member");
  const { id } = (await me(ada)) as { id: string };
  await running.sql("update memberships set user_id = $2 where user_id = $1", [member.userId, id]);
  await setMembership(running, suspended, { ...member, userId: id }, "state = 'suspended'");
  await attempt(suspended.invitation.token, "Your membership is suspended");
  await ada.page.getByRole("link", { name: "Sign in with another address" }).click();
  expect(ada.at()).toBe("/login?return_to=%2Finvitation");
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
