// A credential that somebody gives: tried at its provider, wherever that is, before it is kept.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { reachingFrom } from "../../../test/integrations.ts";
import { standIn } from "../../../test/providers/stand-in.ts";
import { service, type World, world } from "../../../test/world.ts";
import { reach } from "./client/provider-connection.ts";

const provider = await standIn();
afterAll(() => provider.close());
const apps = { gitlab: { url: provider.origin, client_id: "client", client_secret: "a-client-secret" } };
const running = service({ apps });
const parts = () => reachingFrom(running, apps);
beforeEach(() =>
  provider.on("GET /api/v4/user", () => ({ id: 5, username: "octo", web_url: `${provider.origin}/octo` })),
);
const connect = (home: World, body: object = {}) =>
  home.owner.call("POST", `/workspaces/${home.workspaceId}/integration-authorizations/credential`, {
    body: { provider_key: "gitlab", credential: "a-token", ...body },
  });

describe("a credential that somebody gives", () => {
  test("is tried, kept sealed and never shown, and another one takes its place", async () => {
    const home = await world(running);
    const made = await connect(home);
    expect([made.status, made.body.account_name, made.body.base_url]).toEqual([201, "octo", null]);
    expect([made.body.webhook_url, made.body.signing_secret], "registered by us").toEqual([null, null]);
    const again = await connect(home, { credential: "another-token", base_url: `${provider.origin}/` });
    expect([again.status, again.body.id, again.body.revision]).toEqual([201, made.body.id, "2"]);
    expect(made.text + again.text).not.toContain("a-token");
    const reached = await reach(parts(), home.workspaceId, made.body.id);
    expect(reached?.tokens).toEqual({ access: "another-token" });
  });

  test("that the provider refuses, or does not answer to, is not kept", async () => {
    const home = await world(running);
    provider.on("GET /api/v4/user", () => undefined);
    const outcomes: unknown[] = [];
    for (const way of [
      { status: 401 },
      { status: 403 },
      "reset",
      "html",
      "wrong",
      "huge",
      { status: 500 },
      { status: 429 },
    ] as const) {
      provider.fail(way);
      const { status, body } = await connect(home);
      outcomes.push([status, body.code, body.errors[0].pointer, body.errors[0].code]);
    }
    const at = (pointer: string, code: string) => [422, "provider_refused", `/body/${pointer}`, code];
    expect(outcomes).toEqual([
      at("credential", "credential_refused"),
      at("credential", "refused"),
      ...Array.from({ length: 3 }, () => at("base_url", "unreachable")),
      at("base_url", "answer_too_large"),
      at("base_url", "unreachable"),
      at("base_url", "rate_limited"),
    ]);
    expect(
      (await home.owner.call("GET", `/workspaces/${home.workspaceId}/integration-installations`)).body.items,
    ).toEqual([]);
  });

  test("goes to public addresses alone, however they are spelled", async () => {
    const home = await world(running);
    const asked = provider.asked.length;
    const inside = [
      "http://127.0.0.1",
      "https://127.0.0.1",
      "https://127.1",
      "https://2130706433",
      "https://0x7f.1",
      "https://017700000001",
      "https://localhost",
      "https://[::1]",
      "https://[::ffff:127.0.0.1]",
      "https://[fd00::1]",
      "https://[fe80::1]",
      "https://169.254.169.254",
      "https://10.0.0.1",
      "https://192.168.1.1",
      "https://172.16.0.1",
      "https://100.64.0.1",
      "https://0.0.0.0",
      "http://example.com",
      "https://[64:ff9b::7f00:1]",
      provider.origin.replace("127.0.0.1", "localhost"),
    ];
    for (const base_url of inside) {
      const { status, body } = await connect(home, { base_url });
      const codes =
        status === 400 ? ["wrong_format", "invalid_request", "pattern"] : ["address_refused", "unreachable"];
      expect([400, 422], base_url).toContain(status);
      expect(codes, `${base_url} ${status}`).toContain(body.errors[0].code);
    }
    for (const base_url of [
      "https://a@git.example.com",
      "https://git.example.com/path",
      "https://git.example.com?x",
      "ftp://git.example.com",
    ])
      expect((await connect(home, { base_url })).status, base_url).toBe(400);
    expect(provider.asked.length, "nobody was asked").toBe(asked);
  });
});
