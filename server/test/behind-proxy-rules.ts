// What must hold behind every proxy of the guide, in words.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { PROTOCOL } from "@svc/contract/surfaces/realtime/limits.ts";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Behind, ProxiedAnswer } from "./behind-proxy.ts";
import { sessionHeaders, type World, world } from "./world.ts";

const MEBIBYTE = 1024 * 1024;

export function proxyRules({ running, at, url, letGo, open, ask, as }: Behind): void {
  const made = (told: ProxiedAnswer, status = 201) => {
    expect(told.status, told.bytes.toString()).toBe(status);
    return told.json;
  };
  const workshop = async (): Promise<World & { task: { id: string; revision: string } }> => {
    const place = await world(running);
    const body = { key: "ENG", name: "Engines" };
    const project = made(await as(place.owner, "POST", `/workspaces/${place.workspaceId}/projects`, { body }));
    const task = made(await as(place.owner, "POST", `/projects/${project.id}/tasks`, { body: { title: "Gears" } }));
    return { ...place, task };
  };
  /** An option of TLS, which the type of the library leaves out. */
  const name = { servername: "localhost" };
  const socketTo = (address: string, headers: Record<string, string>, protocol?: string) =>
    new WebSocket(address.replace("localhost", "127.0.0.1"), protocol, {
      ca: readFileSync(at.cert),
      ...name,
      headers: { host: new URL(url).host, origin: url, ...headers },
    });

  test("plain HTTP leads to https, and there the service sets cookies for TLS alone and asks browsers to stay", async () => {
    const plain = request({ host: "127.0.0.1", port: at.plain, path: "/docs?x=1", headers: { host: "localhost" } });
    const [answer] = await once(plain.end(), "response");
    answer.resume();
    expect(answer.statusCode).toBe(308);
    expect(answer.headers.location).toMatch(/^https:\/\/localhost(:\d+)?\/docs\?x=1$/);
    const body = { email: "ada@example.com", password: "correct horse battery staple", display_name: "Ada" };
    const told = await ask("POST", "/api/v1/auth/register", { body });
    made(told);
    expect(told.headers["strict-transport-security"]).toMatch(/max-age/);
    for (const cookie of told.headers["set-cookie"] ?? []) expect(cookie).toMatch(/^__Host-.*; Secure/);
    expect((await ask("GET", "/readyz")).bytes.toString()).toBe("ready");
  });

  test("the service knows who asks, whatever a client says of itself in either header", async () => {
    const body = { email: "eve@example.com", password: "correct horse battery staple", display_name: "Eve" };
    const lies = { "x-forwarded-for": "10.1.1.1", forwarded: "for=10.2.2.2" };
    const told = await ask("POST", "/api/v1/auth/register", { body, headers: lies, from: "127.9.9.9" });
    made(told);
    const cookie = (told.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
    const { items } = made(await ask("GET", "/api/v1/me/sessions", { headers: { cookie } }), 200);
    expect(items.map((session: { address_prefix: string }) => session.address_prefix)).toEqual(["127.9.9.0/24"]);
  });

  test("an ETag comes as it is, also to who would take it compressed, and If-Match compares with it", async () => {
    const { owner, task } = await workshop();
    const headers = { "accept-encoding": "gzip, br, zstd" };
    const read = await as(owner, "GET", `/tasks/${task.id}`, { headers });
    expect([read.headers.etag, read.headers["content-encoding"]]).toEqual([`"${task.revision}"`, undefined]);
    const change = (etag: string) =>
      as(owner, "PATCH", `/tasks/${task.id}`, {
        body: { title: "Brass gears" },
        headers: { ...headers, "if-match": etag },
      });
    expect((await change(read.headers.etag as string)).status).toBe(200);
    expect((await change(read.headers.etag as string)).status).toBe(409);
  });

  test("a file of 100 MiB goes up and comes back, whole or in part, and what is refused of it says why", async () => {
    const { owner } = await workshop();
    const bytes = randomBytes(100 * MEBIBYTE);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const announced = { filename: "plan.bin", content_type: "application/octet-stream", size: bytes.length, sha256 };
    const reserve = (body: object) => as(owner, "POST", "/attachment-uploads", { body });
    const larger = await reserve({ ...announced, size: bytes.length + 1 });
    expect([larger.status >= 400, larger.headers["content-type"]]).toEqual([
      true,
      expect.stringContaining("application/problem+json"),
    ]);
    const { id, upload } = made(await reserve(announced));
    const path = (address: string) => address.slice(url.length);
    expect(upload.url.startsWith(`${url}/`)).toBe(true);
    const refused = await ask("PUT", path(upload.url), { raw: bytes.subarray(0, 10), headers: upload.headers });
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
    expect((await ask("PUT", path(upload.url), { raw: bytes, headers: upload.headers })).status).toBe(200);
    const attachment = made(await as(owner, "POST", `/attachment-uploads/${id}/complete`));
    const link = made(await as(owner, "POST", `/attachments/${attachment.id}/download`), 200);
    const whole = await ask("GET", path(link.url));
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
    const range = { range: `bytes=${50 * MEBIBYTE}-${50 * MEBIBYTE + 99}` };
    const part = await ask("GET", path(link.url), { headers: range });
    expect([part.status, part.headers["content-range"]]).toEqual([
      206,
      `bytes ${50 * MEBIBYTE}-${50 * MEBIBYTE + 99}/${100 * MEBIBYTE}`,
    ]);
    expect(part.bytes.equals(bytes.subarray(50 * MEBIBYTE, 50 * MEBIBYTE + 100))).toBe(true);
  });

  test("sockets open for who follows changes and for who edits, and one from a foreign page is told why not", async () => {
    const { owner, task, workspaceId } = await workshop();
    const { cookie } = sessionHeaders(owner.session);
    const realtime = `${url.replace("https", "wss")}/api/v1/realtime`;
    const following = socketTo(realtime, { cookie }, PROTOCOL);
    const heard: string[] = [];
    following.on("message", (data) => {
      const frame = JSON.parse(String(data));
      heard.push(frame.type);
      if (frame.type === "welcome")
        following.send(JSON.stringify({ type: "subscribe", subscription_id: "w", scope: "workspace" }));
      if (frame.type === "subscribed")
        void as(owner, "PATCH", `/tasks/${task.id}`, { body: { title: "Heard" }, headers: { "if-match": "*" } });
      if (JSON.stringify(frame).includes(task.id)) following.close();
    });
    await once(following, "close");
    expect(heard).toEqual(expect.arrayContaining(["welcome", "subscribed"]));
    const body = { title: "Notes" };
    const document = made(await as(owner, "POST", `/workspaces/${workspaceId}/documents`, { body }));
    const session = made(await as(owner, "POST", `/documents/${document.id}/collaboration-sessions`));
    expect(session.url.startsWith(url.replace("https", "wss"))).toBe(true);
    const editing = socketTo(session.url, {});
    await once(editing, "open");
    editing.terminate();
    const foreign = socketTo(realtime, { cookie, origin: "https://evil.example" }, PROTOCOL);
    foreign.on("error", () => {});
    const [, refusal] = await once(foreign, "unexpected-response");
    const pieces: Buffer[] = [];
    for await (const piece of refusal) pieces.push(piece);
    expect(refusal.statusCode).toBe(403);
    expect(JSON.parse(Buffer.concat(pieces).toString()).code).toBeTypeOf("string");
  });

  test("what an assistant is told while a tool runs arrives while it runs", async () => {
    const { owner, workspaceId } = await workshop();
    const body = { name: "Robot", scopes: ["svc:read"], project_ids: [] };
    const { token } = made(await as(owner, "POST", `/workspaces/${workspaceId}/mcp-service-credentials`, { body }));
    const stream = await open("POST", "/mcp", {
      headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: {}, _meta: { progressToken: "begun" } },
      },
    });
    let heard = "";
    for await (const piece of stream) {
      heard += piece;
      // The tool ends only after this: a proxy that kept pieces back would keep this one for ever.
      if (heard.includes("notifications/progress")) letGo();
    }
    expect(stream.headers["content-type"]).toMatch(/^text\/event-stream/);
    expect(heard).toMatch(/notifications\/progress[\s\S]*"ended"/);
  });
}
