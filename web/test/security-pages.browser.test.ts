// The journeys through the security of an account: proving again, a second factor, another address; and what others ask
// of it: an invitation, an application, a proposal.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { propose } from "../../server/test/changes.ts";
import { lettersTo, linkTo } from "../../server/test/mailbox.ts";
import { authorizePath, newVerifier, redeemed, registered } from "../../server/test/oauth.ts";
import { invite } from "../../server/test/people.ts";
import { age } from "../../server/test/recency.ts";
import { codeOf, wrongCode } from "../../server/test/second-factor.ts";
import { newTask, workshopOn } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";
import { inside, newAddress, PASSWORD, register, signIn, visit } from "./visit.ts";

const running = service();
const chromium = browser();
/** Nobody listens there: the test reads the address that the browser is sent to. */
const REDIRECT = "http://127.0.0.1:49152/callback";

test("a person proves again who they are, changes the address, and signs in with a second factor", async () => {
  const ada = await visit(running, chromium);
  const { page } = ada;
  const email = await register(ada);
  const next = newAddress();
  await ada.open("/security");
  await ada.shows("/security");
  const [account] = await running.sql<{ id: string }>("select id from users where email = $1", [email]);
  await age(running, account?.id as string);
  await ada.press("Set up an authenticator");
  const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
  await dialog.getByLabel("Your password", { exact: true }).fill("not my password");
  await ada.press("Confirm");
  await dialog.getByText("That is not your password.").waitFor();
  await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD);
  await ada.press("Confirm");
  await dialog.waitFor({ state: "detached" });
  const secret = (await page.locator("code").textContent()) as string;
  await ada.fill("Code", wrongCode(secret));
  await ada.press("Turn it on");
  await page.getByText("Enter the six digits that your authenticator shows now.").waitFor();
  await ada.fill("Code", codeOf(secret));
  await ada.press("Turn it on");
  await page.getByText("Keep these recovery codes in a safe place").waitFor();
  expect(await page.locator("ul.font-mono li").count()).toBe(10);
  await ada.press("I have kept them");

  await ada.press("Change address");
  await ada.fill("New email", next);
  await ada.fill("Your password", PASSWORD);
  await ada.press("Send the link");
  await page.getByText("Until then nothing changes.").waitFor();
  await page.context().clearCookies();
  const { pathname, search } = await linkTo(running, next);
  await ada.open(pathname + search);
  await ada.heading("Sign in");
  expect(ada.at()).toBe("/login?return_to=%2Femail-change");
  await signIn(ada, email);
  await ada.heading("Second step");
  await ada.shows("/second-factor");
  await ada.fill("Code", wrongCode(secret));
  await ada.press("Confirm");
  await page.getByText("Enter the code that your authenticator shows now").waitFor();
  await ada.fill("Code", codeOf(secret, 1));
  await ada.press("Confirm");
  await ada.heading("Confirm your new address");
  await ada.shows("/email-change");
  await ada.press("Confirm the new address");
  await ada.heading("Your address is changed");
  await page.getByText(next).waitFor();
});

test("a window that a provider sent back says how it went", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/confirmed");
  await ada.heading("Thank you");
  await ada.shows("/confirmed");
  await ada.open("/confirmed?error=access_denied");
  await ada.heading("We could not confirm that it is you");
});

test("an invitation leads from the mail through registration into the Workspace; its token stays in no address", async () => {
  const { workspaceId, owner, ...rest } = await world(running);
  await running.sql("update workspaces set name = 'Analytical Engines' where id = $1", [workspaceId]);
  await running.sql(
    "update users set display_name = 'Grace', email_verified_at = now(), email_proved_at = now() where id = $1",
    [owner.userId],
  );
  const email = newAddress();
  await invite(owner, { ...rest, workspaceId, owner }, { email, role: "member" });
  const ada = await visit(running, chromium);
  const { page } = ada;
  const seen: string[] = [];
  page.on("request", (request) => seen.push(request.url()));
  const letters = (await lettersTo(running, email)).map(({ text }) => text).join();
  const { pathname, search } = new URL(/https?:\S+\/invitation\?\S+/.exec(letters)?.[0] as string);
  await ada.open(pathname + search);
  await ada.shows("/invitation");
  await page.getByText("Grace invites you to the Workspace Analytical Engines, as a member.").waitFor();
  await page.getByRole("link", { name: "Create an account" }).click();
  await ada.fill("Your name", "Ada");
  await ada.fill("Email", email);
  await ada.fill("Password", PASSWORD);
  await ada.press("Create account");
  await inside(ada);
  expect(await running.sql("select from memberships where workspace_id = $1", [workspaceId])).toHaveLength(2);
  const afterTheLink = seen.slice(seen.findIndex((url) => url.includes("/continuations/")) + 1);
  expect(afterTheLink.filter((url) => new URL(url).search.includes("svc_inv"))).toEqual([]);
});

test("an application and a proposal are decided by the person they ask, who can end both", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Cut the gears" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const client = {
    ...(await registered(running, { redirect_uris: [REDIRECT], client_name: "Tidy <b>Robot</b>" })),
    redirectUri: REDIRECT,
  };
  const verifier = newVerifier();
  await page.route(`${REDIRECT}*`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>client</title>" }),
  );
  await ada.open(authorizePath(client, verifier, { scope: "svc:read svc:tasks:write" }));
  await ada.heading("Allow “Tidy <b>Robot</b>” to act for you?");
  await ada.shows("/consent");
  await page.getByText("Nobody has verified this application").waitFor();
  await page.getByText("Create and change tasks").waitFor();
  await ada.press("Allow");
  await page.waitForURL((url) => url.href.startsWith(REDIRECT));
  const code = new URL(page.url()).searchParams.get("code") as string;
  const tokens = await redeemed(running, { code, verifier, client });
  expect(tokens.status, tokens.text).toBe(200);
  await ada.open("/security");
  await ada.press("Shut out Tidy <b>Robot</b>");
  await ada.press("Shut out Tidy <b>Robot</b> for good");
  await page.getByText("No application acts for you.").waitFor();

  const change = { action: "task.update", task_id: task.id, revision: "1", set: { priority: "urgent" } };
  const { body } = await propose(owner, home, [change], {
    title: "Hurry",
    reason: "It is late <script>ran()</script>",
  });
  const now = () => clientOf(owner).getTask({ task_id: task.id });
  await ada.open(body.review_url);
  await ada.heading("Hurry");
  await ada.shows("/review");
  await page.getByText("It is late <script>ran()</script>").waitFor();
  await ada.press("Approve");
  await page.getByText("You have approved it").waitFor();
  expect((await now()).revision, "approving changes nothing yet").toBe("1");
  await ada.press("Apply all of it");
  await page.getByText("It is done").waitFor();
  expect(await now()).toMatchObject({ revision: "2", priority: "urgent" });
  await ada.press("Undo all of it");
  await page.getByText("You have undone all of it.").waitFor();
  expect(await now()).toMatchObject({ revision: "3", priority: "none" });
});
