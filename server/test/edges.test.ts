// Where HTTP itself leaves room: a JSON text that says something twice, an Expect header, a method that an address
// does not take, a native call that names no Workspace, and programs that register themselves beside people.
import { describe, expect, test } from "vitest";
import { newId, newSecret } from "../src/platform/wire/ids.ts";
import { defaultRates } from "../src/platform/wire/limits/rate-limit.ts";
import { bytesTo } from "./socket.ts";
import { insertCredential, newKey, service, world } from "./world.ts";

const running = service();

describe("a member that is given twice", () => {
  test.each([
    ['{"key":"DUP","name":"One","name":"Two"}', ["/body/name"]],
    ['{"key":"DUP","na\\u006de":"One","name":"Two"}', ["/body/name"]],
    ['{"key":"DUP","name":"One","x":[{"a/b":1,"a/b":1}]}', ["/body/x/0/a~1b"]],
  ])("is refused with a pointer to it: %s", async (raw, pointers) => {
    const { owner, workspaceId } = await world(running);
    const headers = { "content-type": "application/json" };
    const path = `/workspaces/${workspaceId}/projects`;
    const { status, body } = await owner.call("POST", path, { raw, headers, key: newKey() });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.errors).toEqual(
      pointers.map((pointer) => ({ pointer, code: "repeated", detail: "must be given once" })),
    );
    expect((await owner.call("GET", path)).body.items).toEqual([]);
  });

  test("is refused where a client registers, too", async () => {
    const raw = '{"redirect_uris":["http://127.0.0.1/a"],"token_endpoint_auth_method":"none","x":1,"x":2}';
    const answer = await running.send("POST", "/oauth/register", {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(answer.body.error_description).toContain("/body/x");
  });
});

describe("Expect", () => {
  const ask = (expectation: string, version = "1.1") =>
    bytesTo(
      running.url,
      `POST /api/v1/auth/login HTTP/${version}\r\nhost: x\r\nconnection: close\r\ncontent-type: ` +
        `application/json\r\ncontent-length: 2\r\nexpect: ${expectation}\r\n\r\n{}`,
    );

  test("100-continue is answered, and then the request", async () => {
    const { text } = await ask("100-continue");
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });

  test("anything else is 417, as a problem with the headers of every answer", async () => {
    const { status, text } = await ask("the-unexpected");
    expect(status).toBe(417);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    for (const name of ["x-correlation-id", "cache-control: no-store", "x-content-type-options: nosniff"])
      expect(head.toLowerCase()).toContain(name);
    expect(JSON.parse(body)).toMatchObject({
      status: 417,
      code: "expectation_failed",
      type: "/problems/expectation_failed",
    });
  });
});

describe("a native client, which belongs to no Workspace", () => {
  async function native() {
    const home = await world(running);
    const token = newSecret("nat");
    await insertCredential(running, "native", token, home.owner.userId, null, []);
    const project = await home.owner.call("POST", `/workspaces/${home.workspaceId}/projects`, {
      body: { key: "NAT", name: "Native" },
    });
    const ask = (headers: Record<string, string>) =>
      home.owner.bearer(token, "GET", `/projects/${project.body.id}`, { headers });
    return { home, ask, token, path: `/projects/${project.body.id}` };
  }

  test("names it in X-Svc-Workspace-ID: without, it is told so", async () => {
    const { home, ask } = await native();
    for (const [headers, code] of [
      [{}, "required"],
      [{ "x-svc-workspace-id": "" }, "wrong_format"],
      [{ "x-svc-workspace-id": "not-an-id" }, "wrong_format"],
    ] as const) {
      const { status, body } = await ask(headers as Record<string, string>);
      expect([status, body.code, body.errors]).toEqual([
        400,
        "invalid_request",
        [{ pointer: "/headers/x-svc-workspace-id", code, detail: expect.stringContaining("Workspace") }],
      ]);
    }
    expect((await ask({ "x-svc-workspace-id": home.workspaceId.toUpperCase() })).status).toBe(200);
    expect((await ask({ "x-svc-workspace-id": newId() })).status).toBe(404);
  });

  test("learns nothing from it without a credential, and a browser session needs none", async () => {
    const { home, path } = await native();
    expect((await home.owner.bearer(newSecret("nat"), "GET", path)).status).toBe(401);
    expect((await home.owner.call("GET", path)).status).toBe(200);
  });
});

describe("a method that an address does not take", () => {
  test.each([
    ["DELETE", "/workspaces", "GET, HEAD, POST"],
    ["POST", `/tasks/${newId()}`, "DELETE, GET, HEAD, PATCH"],
    ["GET", "/auth/login", "POST"],
    ["OPTIONS", "/me", "GET, HEAD, PATCH"],
  ])("is refused, and the answer names those that it takes: %s %s", async (method, path, methods) => {
    const { status, headers, body } = await running.send(method, path);
    expect([status, body.code]).toEqual([405, "method_not_allowed"]);
    expect(headers.get("allow")?.split(", ").sort().join(", ")).toBe(methods);
  });

  test("is 404 if nothing has the address", async () => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"])
      expect((await running.send(method, "/nothing")).status, method).toBe(404);
  });
});

describe("registering", () => {
  const limited = service({
    rateLimits: {
      ...defaultRates,
      register: { requests: 2, seconds: 600 },
      register_client: { requests: 2, seconds: 600 },
    },
  });

  test("programs use nothing up that people need", async () => {
    const client = { redirect_uris: ["http://127.0.0.1/cb"], token_endpoint_auth_method: "none" };
    const statuses: number[] = [];
    for (let times = 0; times < 3; times++)
      statuses.push((await limited.send("POST", "/oauth/register", { body: client })).status);
    expect(statuses).toEqual([201, 201, 429]);
    const people: number[] = [];
    for (let times = 0; times < 3; times++)
      people.push((await limited.send("POST", "/auth/register", { body: {} })).status);
    expect(people).toEqual([400, 400, 429]);
  });
});
