// Clients that are described by a document at their own address, served over real TLS. What the document does not say,
// or says wrongly, is no client; and nobody whom we do not know makes us fetch anything.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { certificateFor } from "../../../test/certificate.ts";
import { asked, authorizePath, newVerifier, type OAuthClient, tokensFor } from "../../../test/oauth.ts";
import { service, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { clientIn, describedClient, isDocumentUrl } from "./client-documents.ts";

const { cert, key } = certificateFor("client.test");
const documents = new Map<string, { status?: number; body: string }>();
const fetched: string[] = [];
const host = createServer({ cert, key }, (request, response) => {
  const path = request.url as string;
  fetched.push(path);
  const found = documents.get(path);
  response.writeHead(found?.status ?? (found ? 200 : 404), {
    "content-type": "application/json",
    location: "/other.json",
  });
  response.end(found?.body);
});
await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
afterAll(() => host.close());
const origin = `https://client.test:${(host.address() as AddressInfo).port}`;
const egress = egressTo({
  allow: [origin],
  resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  ca: cert,
});
const running = service({}, { egress });

let count = 0;
/** The address of a new document. */
function described(changes: Record<string, unknown> = {}, status?: number): string {
  const path = `/client-${++count}.json`;
  const document = {
    client_id: origin + path,
    client_name: "Described client",
    redirect_uris: [`${origin}/callback`, "http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
    ...changes,
  };
  documents.set(path, { body: JSON.stringify(document), ...(status ? { status } : {}) });
  return origin + path;
}
const clientAt = (id: string, redirectUri = `${origin}/callback`): OAuthClient => ({ family: "mcp", id, redirectUri });

test("a described client is let in at its own origin and on loopback, and its name is not vouched for", async () => {
  const place = await world(running);
  const id = described();
  for (const redirectUri of [`${origin}/callback`, "http://127.0.0.1:5555/callback"])
    expect((await tokensFor(running, place, clientAt(id, redirectUri))).scope).toBe("svc:read svc:write");
  const request = await asked(place.owner, clientAt(id), newVerifier());
  const { body } = await place.owner.call("GET", `/oauth/consent?request=${request}`);
  expect(body.client).toEqual({ id, name: "Described client", verified: false });
  expect(body.redirect_host).toBe(new URL(origin).host);
});

test("a document is remembered for a while, and then read again", async () => {
  const id = described();
  const reads = () => fetched.filter((path) => origin + path === id).length;
  let now = 0;
  const clock = () => now;
  for (const [time, count] of [
    [0, 1],
    [299_999, 1],
    [300_001, 2],
  ] as const) {
    now = time;
    expect(await describedClient(egress, id, clock)).toBeDefined();
    expect(reads()).toBe(count);
  }
});

test("only somebody who is signed in makes us read a document", async () => {
  const id = described();
  const answer = await running.send("GET", authorizePath(clientAt(id), newVerifier()));
  expect(answer.headers.get("location")).toMatch(/^\/login\?return_to=/);
  expect(fetched.filter((path) => origin + path === id)).toEqual([]);
});

test("a document that is missing, moved, too large, broken or about another client is no client", async () => {
  const { owner } = await world(running);
  documents.set("/broken.json", { body: "{" });
  documents.set("/null.json", { body: "null" });
  documents.set("/list.json", { body: "[]" });
  const wrong = [
    `${origin}/nowhere.json`,
    `${origin}/broken.json`,
    `${origin}/null.json`,
    `${origin}/list.json`,
    described({}, 302),
    described({}, 500),
    described({ padding: "x".repeat(10_240) }),
    described({ client_id: `${origin}/another.json` }),
    described({ client_id: undefined }),
    described({ client_secret: "secret" }),
    described({ token_endpoint_auth_method: "client_secret_post" }),
    described({ token_endpoint_auth_method: "private_key_jwt" }),
    described({ redirect_uris: [] }),
    described({ redirect_uris: `${origin}/callback` }),
    described({ redirect_uris: Array.from({ length: 21 }, (_, at) => `${origin}/${at}`) }),
    described({ redirect_uris: [`${origin}/callback`, "https://elsewhere.example/callback"] }),
    described({ redirect_uris: [`${origin}/callback`, `${origin}/callback#x`] }),
    described({ redirect_uris: [`${origin}/callback`, `https://user@${new URL(origin).host}/callback`] }),
    described({ redirect_uris: [`${origin}/callback`, `${origin}/a/../callback`] }),
    described({ redirect_uris: [`${origin}/callback`, 7] }),
    described({ scope: "svc:everything" }),
    described({ scope: 7 }),
    "https://127.0.0.1/client.json",
    "https://169.254.169.254/latest/meta-data",
  ];
  for (const id of wrong) {
    const answer = await owner.call("GET", authorizePath(clientAt(id), newVerifier()));
    expect([id, answer.body?.error]).toEqual([id, "unauthorized_client"]);
  }
});

test("a redirect URI that is not in the document is refused, however near", async () => {
  const { owner } = await world(running);
  const id = described();
  const { host: name, port } = new URL(origin);
  for (const uri of [
    `${origin}/callback/`,
    `${origin}/callback?x=1`,
    `${origin}/Callback`,
    `${origin}/%63allback`,
    `https://client.test/callback`,
    `https://client.test.:${port}/callback`,
    `https://CLIENT.test:${port}/callback`,
    `https://user@${name}/callback`,
    `http://${name}/callback`,
    "http://localhost/callback",
  ]) {
    const answer = await owner.call("GET", authorizePath(clientAt(id, uri), newVerifier()));
    expect([uri, answer.body?.error]).toEqual([uri, "invalid_redirect_uri"]);
  }
});

test("an id is a plain https address with a path, or it is not read at all", () => {
  for (const id of ["https://example.com/client.json", "https://example.com:8443/a/b"])
    expect(isDocumentUrl(id)).toBe(true);
  for (const id of [
    "http://example.com/client.json",
    "https://example.com",
    "https://example.com/",
    "https://user@example.com/client.json",
    "https://example.com/client.json#x",
    "https://example.com/client.json?x",
    "https://example.com/a/../client.json",
    "https://EXAMPLE.com/client.json",
    "https://example.com:443/client.json",
    "https://example.com\\client.json",
    "https:/example.com/client.json",
    `https://example.com/${"a".repeat(2048)}`,
    "svc-cli",
  ])
    expect([id, isDocumentUrl(id)]).toEqual([id, false]);
});

test("a name is shown without control characters and cut at 88; without one the host stands in", () => {
  const id = "https://example.com/client.json";
  const named = (client_name: unknown) =>
    clientIn(id, { client_id: id, client_name, redirect_uris: ["http://127.0.0.1/cb"] })?.name;
  expect(named("a\u0007b\u202ec")).toBe("abc");
  expect(named("Pay\u200cpal\u2066\ufeff \u{1f469}\u200d\u{1f4bb}")).toBe("Paypal \u{1f469}\u200d\u{1f4bb}");
  expect(named("\u200b\u3164")).toBe("example.com");
  expect(named("n".repeat(100))).toBe("n".repeat(88));
  for (const missing of [undefined, "", " ", 7]) expect(named(missing)).toBe("example.com");
});
