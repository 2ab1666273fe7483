// Whether an application may act for a person: asked in words, answered once, and sent back to where the application
// waits. The application is a real client on loopback.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { authorizePath, cli, newVerifier, type OAuthClient, redeemed, registered } from "../../server/test/oauth.ts";
import { service } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { inside, register, signIn, type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();
let client: Server;
let redirectUri: string;
beforeAll(async () => {
  client = createServer((_request, response) => response.end("<title>client</title>"));
  await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve));
  redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
});
afterAll(() => client.close());

const atClient = async ({ page }: Visit) => {
  await page.waitForURL((url) => url.href.startsWith(redirectUri));
  return new URL(page.url()).searchParams;
};
const path = (asking: OAuthClient, verifier: string, scope: string) => {
  const below = authorizePath(asking, verifier, { scope });
  return asking.family === "mcp" ? below : `/api/v1${below}`;
};

async function withWorkspace(ada: Visit): Promise<string> {
  const email = await register(ada);
  await ada.fill("Name", "Analytical Engines");
  await ada.fill("Address", `consent-${email.replace(/\W/g, "-")}`);
  await ada.press("Create Workspace");
  await inside(ada);
  return email;
}

test("somebody who is not signed in is asked after signing in, allows, and the application gets its tokens", async () => {
  const ada = await visit(running, chromium);
  const email = await withWorkspace(ada);
  await ada.page.context().clearCookies();
  const asking = {
    ...(await registered(running, { redirect_uris: [redirectUri], client_name: "Tidy <b>Robot</b>" })),
    redirectUri,
  };
  const verifier = newVerifier();
  await ada.open(path(asking, verifier, "svc:read svc:tasks:write"));
  await ada.heading("Sign in");
  await signIn(ada, email);
  await ada.heading("Allow “Tidy <b>Robot</b>” to act for you?");
  await ada.page.getByText("Nobody has verified this application").waitFor();
  await ada.page.getByText(new URL(redirectUri).host).waitFor();
  await ada.page.getByText("Create and change tasks").waitFor();
  const [deny, allow] = await Promise.all(
    ["Deny", "Allow"].map((name) => ada.page.getByRole("button", { name }).boundingBox()),
  );
  expect([deny?.width, deny?.height]).toEqual([allow?.width, allow?.height]);
  await look(ada, "consent");
  await ada.press("Allow");
  const answer = await atClient(ada);
  expect(answer.get("state")).toBe("opaque");
  const tokens = await redeemed(running, { code: answer.get("code") as string, verifier, client: asking });
  expect(tokens.status, tokens.text).toBe(200);

  await ada.open("/security");
  await ada.press("Shut out Tidy <b>Robot</b>");
  await ada.press("Shut out Tidy <b>Robot</b> for good");
  await ada.page.getByText("No application acts for you.").waitFor();
});

test("the command line is shut out on the security page, beside the MCP clients, and its tokens are dead", async () => {
  const ada = await visit(running, chromium);
  await withWorkspace(ada);
  const [asking, verifier] = [{ ...cli, redirectUri }, newVerifier()];
  await ada.open(path(asking, verifier, "svc:read"));
  await ada.heading("Allow “svc command line” to act for you?");
  await ada.press("Allow");
  const code = (await atClient(ada)).get("code") as string;
  const tokens = await redeemed(running, { code, verifier, client: asking });
  const read = () =>
    running.send("GET", "/dev/workspace", { headers: { authorization: `Bearer ${tokens.body.access_token}` } });
  expect((await read()).status).toBe(200);
  await ada.open("/security");
  await ada.press("Shut out svc command line");
  await ada.press("Shut out svc command line for good");
  await ada.page.getByText("No application acts for you.").waitFor();
  expect((await read()).status).toBe(401);
});

test("whoever denies is sent back without a code", async () => {
  const ada = await visit(running, chromium);
  await withWorkspace(ada);
  await ada.open(path({ ...cli, redirectUri }, newVerifier(), "svc:read"));
  await ada.heading(/^Allow “.+” to act for you\?$/);
  await ada.press("Deny");
  const answer = await atClient(ada);
  expect([answer.get("error"), answer.get("code")]).toEqual(["access_denied", null]);
});

test("a question that was answered, or made up, is not asked", async () => {
  const ada = await visit(running, chromium);
  await withWorkspace(ada);
  for (const request of ["", "?request=made.up"]) {
    await ada.open(`/consent${request}`);
    await ada.page.getByText("This link does not work any more").waitFor();
    expect(await ada.page.getByRole("button", { name: "Allow" }).count()).toBe(0);
  }
});
