// Providers that are down, slow, absurd or not configured: a sign-in fails in time, and nothing else waits for it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { comeBack, leave, logIn, type Name, openIdProviders } from "../../../test/openid-provider.ts";
import { service, type TestService, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
afterEach(() => {
  for (const name of ["google", "microsoft", "apple"] as const) openId[name].faulty = null;
});
const running = service({ providers: openId.config });
const locationOf = (answer: Answer) => answer.headers.get("location");
function expectFailed(answer: Answer) {
  expect([answer.status, locationOf(answer)]).toEqual([302, "/login?error=authentication_failed"]);
  expect(answer.cookies).toEqual([]);
}
const someone = (name: Name) => openId[name].person({ email: `${newId()}@example.com`, email_verified: true });

const hanging = createServer(() => {});
const absurd = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(`{"issuer":"${"x".repeat(300_000)}"}`);
});
const client = { clientId: "x", clientSecret: "y" };
const at = (server: typeof hanging) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
await Promise.all([hanging, absurd].map((server) => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))));
afterAll(() => {
  for (const server of [hanging, absurd]) server.close().closeAllConnections();
});
const other = service({
  providers: {
    google: { issuer: "http://127.0.0.1:1", ...client },
    microsoft: { issuer: at(hanging), ...client },
  },
});
const strange = service({
  providers: {
    google: { issuer: at(absurd), ...client },
    // Not loopback, and not https: never asked in the clear.
    microsoft: { issuer: "http://192.0.2.1", ...client },
  },
});
const authorize = (on: TestService, name: Name) => on.send("GET", `/auth/providers/${name}/authorize`);

test("a provider that is down leads to the login page, and linking it says that it is", async () => {
  expectFailed(await authorize(other, "google"));
  const { owner } = await world(other);
  const answer = await owner.call("POST", "/me/identities", { body: { provider: "google" } });
  expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([
    ...[503, "sign_in_provider_unavailable", "5"],
  ]);
});

test("a provider that answers with too much, or would be asked in the clear, leads to the login page", async () => {
  expectFailed(await authorize(strange, "google"));
  expectFailed(await authorize(strange, "microsoft"));
});

test("a provider that never answers ends the request and holds nobody else up", async () => {
  const { owner } = await world(other);
  const waiting = Array.from({ length: 30 }, () => authorize(other, "microsoft"));
  const first = await Promise.race([...waiting, owner.call("GET", "/me")]);
  expect(first.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expectFailed(answer);
});

test("a provider that stops answering between the login and the token holds nobody else up either", async () => {
  const journeys = await Promise.all(Array.from({ length: 20 }, () => leave(running, "microsoft")));
  const sent = await Promise.all(journeys.map((away) => logIn(away, someone("microsoft"))));
  openId.microsoft.faulty = () => true;
  const { owner } = await world(running);
  const waiting = sent.map((each, index) => comeBack(running, "microsoft", each, journeys[index]?.cookie ?? ""));
  const first = await Promise.race([...waiting, owner.call("GET", "/me")]);
  expect(first.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expectFailed(answer);
});

test("a provider that was down works again once it is back", async () => {
  openId.apple.faulty = (_request, response) => response.writeHead(502).end() !== undefined;
  expectFailed(await authorize(running, "apple"));
  openId.apple.faulty = null;
  const away = await leave(running, "apple");
  const answer = await comeBack(running, "apple", await logIn(away, someone("apple")), away.cookie);
  expect(locationOf(answer)).toBe("/workspaces/new");
});

test("a provider that is not configured, or not known, is not found", async () => {
  for (const name of ["apple", "github", "constructor"]) {
    const path = `/auth/providers/${name}`;
    expect((await other.send("GET", `${path}/authorize`)).status).toBe(404);
    expect((await other.send("GET", `${path}/callback?state=x&code=y`)).status).toBe(404);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await other.send("POST", `${path}/callback`, { raw: "state=x&code=y", headers })).status).toBe(404);
  }
  const { owner } = await world(other);
  expect((await owner.call("POST", "/me/identities", { body: { provider: "apple" } })).status).toBe(404);
  expect((await owner.call("POST", "/me/identities", { body: { provider: "github" } })).status).toBe(400);
});
