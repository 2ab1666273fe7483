// Everything that a careless or hostile caller can send, by hand: a clear 4xx that points to each fault, no 500,
// nothing written, and a process that serves the next request. What fetch refuses to send goes over a bare socket.
import { connect } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BODY_LIMIT } from "../src/platform/wire/input/body.ts";
import type { Answer } from "./answer.ts";
import { footprint, inTurns } from "./checks/answers.ts";
import { bytesTo } from "./socket.ts";
import { newKey, service, sessionHeaders, type World, world } from "./world.ts";

const running = service();
let admin: pg.Client;
let place: World;
let paths: { create: string; task: string; list: string; projects: string; comment: string };
let before: Record<string, string>;

beforeAll(async () => {
  admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  place = await world(running);
  const projects = `/workspaces/${place.workspaceId}/projects`;
  const project = (await place.owner.call("POST", projects, { body: { key: "BAD", name: "Bad" } })).body;
  const create = `/projects/${project.id}/tasks`;
  const task = (await place.owner.call("POST", create, { body: { title: "Good" }, key: newKey() })).body;
  paths = { create, task: `/tasks/${task.id}`, list: create, projects, comment: `/tasks/${task.id}/comments` };
  before = await footprint({ admin });
});
afterAll(async () => {
  expect(await footprint({ admin }), "what the database holds after all of it").toEqual(before);
  expect((await place.owner.call("GET", paths.task)).body.title).toBe("Good");
  await admin.end();
});

const post = (path: string, raw: string | Buffer, headers: Record<string, string> = {}) =>
  place.owner.call("POST", path, { raw, key: newKey(), headers: { "content-type": "application/json", ...headers } });
const change = (body: unknown) => place.owner.call("PATCH", paths.task, { body, headers: { "if-match": "*" } });
const pointersOf = (answer: Answer) => (answer.body.errors ?? []).map((fault: { pointer: string }) => fault.pointer);

function refused(answer: Answer, pointer: string, about: unknown): void {
  const where = `${JSON.stringify(about)?.slice(0, 120)} -> ${answer.text.slice(0, 300)}`;
  expect([answer.status, answer.body?.code], where).toEqual([400, "invalid_request"]);
  expect(pointersOf(answer), where).toContain(pointer);
}

test("what is not JSON is refused as such", async () => {
  // biome-ignore format: a corpus reads best as a block.
  const bodies = ["{", "}", '{"title":}', "{'title':'x'}", '{"title":"x"} x', '{"title":"x",}', '{"title":"x"}{"title":"y"}',
    "\0", "NaN", "undefined", '{"title":"a\nb"}', '{"title":"a\0b"}', '{"title":"\\x41"}', '{"title":"\\u12"}', '{"title":.5}', '{"title":0x1}',
    '{"title":"x"', "/* x */ {}", " ", "\u2028", '{"title":+1}', "{\"title\":'x'}"];
  for (const raw of bodies) refused(await post(paths.create, raw), "/body", raw);
});

test("bytes that are not UTF-8 are refused", async () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])
    refused(
      await post(paths.create, Buffer.from([...Buffer.from('{"title":"'), ...bytes, ...Buffer.from('"}')])),
      "/body",
      bytes,
    );
  refused(await post(paths.create, Buffer.from('{"title":"x"}', "utf16le")), "/body", "utf-16");
});

test("a body of another shape is refused", async () => {
  for (const raw of ["null", "true", "1", '"x"', "[]", '[{"title":"x"}]'])
    refused(await post(paths.create, raw), "/body", raw);
  refused(await post(paths.create, "{}"), "/body/title", "{}");
});

test("wrong types are refused with a pointer to each of them", async () => {
  const answer = await post(
    paths.create,
    JSON.stringify({ title: 5, priority: ["high"], status_id: {}, due_date: 20261224, surprise: null }),
  );
  expect(pointersOf(answer).sort()).toEqual(
    ["/body/due_date", "/body/priority", "/body/status_id", "/body/surprise", "/body/title"].sort(),
  );
  for (const title of [null, 5, true, [], {}, ["x"], { toString: "x" }])
    refused(await post(paths.create, JSON.stringify({ title })), "/body/title", title);
});

test("text that is too long or holds what cannot be stored or shown is refused", async () => {
  const bad = [
    "",
    " ",
    "\t",
    "x".repeat(501),
    "a\0b",
    "a\u0007b",
    "a\u001b[31m",
    "a\u007fb",
    "a\u0085b",
    "a\nb",
    "a\rb",
    "\ud800",
    "a\udc00b",
    "\udfff\ud800",
  ];
  for (const title of bad) refused(await post(paths.create, JSON.stringify({ title })), "/body/title", title);
  refused(await post(paths.create, '{"title":"a\\u0000b"}'), "/body/title", "an escaped NUL");
  refused(await post(paths.create, '{"title":"a\\ud800b"}'), "/body/title", "an escaped lone surrogate");
  for (const markdown of ["", " \n ", "a\0b", "a\u001bb", "\ud800", "x".repeat(262_145)])
    refused(await post(paths.comment, JSON.stringify({ markdown })), "/body/markdown", markdown.slice(0, 20));
});

test("absurd numbers are refused", async () => {
  for (const number of ["1e400", "-1e400", "9223372036854775808", "1e16", "-1e16", "123456789012345678901234567890"]) {
    const headers = { "content-type": "application/json", "if-match": "*" };
    refused(
      await place.owner.call("PATCH", paths.task, { raw: `{"position":${number}}`, headers }),
      "/body/position",
      number,
    );
  }
  for (const position of ["NaN", "Infinity", "1", null, true, [1]])
    refused(await change({ position }), "/body/position", position);
});

test("days that no calendar has, and others than YYYY-MM-DD, are refused", async () => {
  // biome-ignore format: a corpus reads best as a block.
  const days = ["0000-00-00", "0000-01-01", "9999-99-99", "2026-02-30", "2026-13-01", "2026-00-10", "2026-04-31", "2025-02-29", "2100-02-29", "2026-1-1", "26-01-01",
    "10000-01-01", "-2026-01-01", "2026-01-01T00:00:00Z", "tomorrow", "infinity", "now", "", " 2026-01-01", "2026/01/01", "２０２６-01-01"];
  for (const due_date of days) refused(await change({ due_date }), "/body/due_date", due_date);
});

test("times that no calendar has are refused", async () => {
  const times = [
    "",
    "never",
    "9999-99-99T99:99:99Z",
    "2026-02-30T00:00:00Z",
    "2026-11-15",
    "2026-11-15T25:00:00Z",
    "2026-11-15T10:00:00+25:00",
    "2026-11-15T10:00:00",
    "1e9",
  ];
  for (const expires_at of times)
    refused(
      await post("/me/api-tokens", JSON.stringify({ name: "x", scopes: ["svc:read"], expires_at })),
      "/body/expires_at",
      expires_at,
    );
  for (const expires_at of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    expect((await post("/me/api-tokens", JSON.stringify({ name: "x", scopes: ["svc:read"], expires_at }))).status).toBe(
      422,
    );
});

test("field names that JavaScript knows are unknown fields like any other", async () => {
  for (const name of [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "",
    "a/b",
    "a~b",
    "\u0000",
    "x".repeat(5000),
  ]) {
    const answer = await post(paths.create, `{"title":"x",${JSON.stringify(name)}:{"polluted":true}}`);
    refused(answer, `/body/${name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`, name);
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  for (const name of ["__proto__", "constructor", "toString", "limit[]", "limit[a]"])
    refused(await place.owner.call("GET", `${paths.list}?${encodeURIComponent(name)}=1`), `/query/${name}`, name);
});

test("a thousand unknown fields are refused with at most 50 faults", async () => {
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field_${index}`, index]));
  const answer = await post(paths.create, JSON.stringify(body));
  expect(answer.status).toBe(400);
  expect(answer.body.errors.length).toBeLessThanOrEqual(50);
});

test("a list, a text or an object of absurd size is refused before it costs anything", async () => {
  const items = Array.from({ length: 200_000 }, (_, index) => index);
  for (const scopes of [items, items.map((item) => `s${item}`), items.map((item) => ({ item })).slice(0, 100_000)]) {
    const answer = await post("/me/api-tokens", JSON.stringify({ name: "x", scopes }));
    refused(answer, "/body/scopes", "scopes");
    expect(answer.body.errors).toHaveLength(1);
  }
  const fields = Object.fromEntries(items.slice(0, 100_000).map((item) => [`f${item}`, 1]));
  refused(await post(paths.create, JSON.stringify(fields)), "/body", "fields");
  for (const email of ["a.".repeat(900_000), `a@${"a-".repeat(900_000)}`]) {
    const body = JSON.stringify({ email, password: "x".repeat(12), display_name: "x" });
    refused(await post("/auth/register", body), "/body/email", "email");
  }
});

test("nesting 600,000 levels deep is refused and harms nobody", async () => {
  const deep = 600_000;
  const nested = [
    `${"[".repeat(deep)}${"]".repeat(deep)}`,
    `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
    "[".repeat(deep),
  ];
  for (const value of nested) {
    expect((await post(paths.create, value)).status).toBe(400);
    refused(await post(paths.create, `{"title":${value}}`), "/body/title", value.slice(0, 9));
    expect((await post(paths.create, `{"title":"x","surprise":${value}}`)).status).toBe(400);
  }
});

test("a body over the limit is refused with 413, declared or not", async () => {
  const huge = Buffer.alloc(BODY_LIMIT + 1, " ");
  const declared = await exchange({ "content-length": String(BODY_LIMIT + 1) }, "POST", paths.create, Buffer.alloc(0));
  expect(declared).toMatchObject({ status: 413, code: "payload_too_large" });
  const chunks = Buffer.concat([Buffer.from(`${huge.length.toString(16)}\r\n`), huge, Buffer.from("\r\n0\r\n\r\n")]);
  const chunked = await exchange({ "transfer-encoding": "chunked" }, "POST", paths.create, chunks);
  expect(chunked).toMatchObject({ status: 413, code: "payload_too_large" });
  const allowed = `{"title":""}${" ".repeat(BODY_LIMIT - 12)}`;
  refused(await post(paths.create, allowed), "/body/title", "at the limit it is read");
});

test("another content type or encoding is refused with 415", async () => {
  for (const type of [
    "text/plain",
    "text/json",
    "application/xml",
    "application/json; charset=utf-16",
    "multipart/form-data; boundary=x",
    "application/merge-patch+json",
    "json",
    "*/*",
  ])
    expect((await post(paths.create, '{"title":"x"}', { "content-type": type })).body.code, type).toBe(
      "unsupported_media_type",
    );
  for (const encoding of ["gzip", "br", "identity, gzip", "x"])
    expect((await post(paths.create, '{"title":"x"}', { "content-encoding": encoding })).body.code, encoding).toBe(
      "unsupported_media_type",
    );
});

test("bad query strings are refused with a pointer", async () => {
  // biome-ignore format: a corpus reads best as a block.
  const queries: [string, string][] = [
    ["limit=1&limit=2", "/query/limit"], ["limit=1;cursor=x", "/query/limit"], ["limit=%ff", "/query"], ["limit=%", "/query"], ["limit=%zz", "/query"], ["%c0%af=1", "/query"],
    ["status_id=x", "/query/status_id"], ["status_id=", "/query/status_id"], ["status_id=%00", "/query/status_id"], ["limit=1e1", "/query/limit"], ["limit=0x10", "/query/limit"],
    ["limit=+5", "/query/limit"], ["limit=5%20", "/query/limit"], ["limit=true", "/query/limit"], ["limit=null", "/query/limit"], ["limit=99999999999999999999", "/query/limit"],
    ["limit=١", "/query/limit"], ["=1", "/query/"], ["&&x", "/query/x"], ["cursor=", "/query/cursor"], [`cursor=${"x".repeat(4097)}`, "/query/cursor"], ["a%2Fb=1", "/query/a~1b"],
  ];
  for (const [query, pointer] of queries)
    refused(await place.owner.call("GET", `${paths.list}?${query}`), pointer, query);
  const many = await place.owner.call(
    "GET",
    `${paths.list}?${Array.from({ length: 1000 }, (_, index) => `q${index}`).join("&")}`,
  );
  expect([many.status, many.body.errors.length <= 50]).toEqual([400, true]);
});

test("forged cursors are refused", async () => {
  const sealed = (text: string) => Buffer.from(text).toString("base64url");
  for (const cursor of [
    "x",
    ".",
    "..",
    "x.y",
    sealed("[1]"),
    `${sealed("[1]")}.${"A".repeat(24)}`,
    `${sealed("not json")}.`,
    `${sealed("[null]")}.${sealed("x")}`,
    "%00.%00",
    "💥",
    "A".repeat(4096),
  ])
    expect(
      (await place.owner.call("GET", `${paths.list}?cursor=${encodeURIComponent(cursor)}`)).body.code,
      cursor,
    ).toBe("invalid_cursor");
});

test("bad headers are refused with a pointer, and never come back as headers", async () => {
  const body = { title: "x" };
  for (const key of ["short", "x".repeat(201), "x".repeat(15), "with spaces in the key", "täst-täst-täst-täst"])
    refused(await place.owner.call("POST", paths.create, { body, key }), "/headers/idempotency-key", key);
  for (const value of ['"3', '"x"', 'W/"3"', '"1","2"', '""', `"${"1".repeat(20)}"`, "null", "'3'"])
    refused(
      await place.owner.call("PATCH", paths.task, { body, headers: { "if-match": value } }),
      "/headers/if-match",
      value,
    );
  const odd = await place.owner.call("GET", paths.task, { headers: { "x-correlation-id": '"}<script>{"x":"' } });
  expect(odd.status).toBe(200);
  for (const line of [
    "x-correlation-id: a\u0001b",
    "x-correlation-id: a\0b",
    "idempotency-key: a\rset-cookie: x=1",
    "bad header: 1",
    ": 1",
    "x-correlation-id\t: a",
  ]) {
    const answer = await bytesTo(
      running.url,
      `GET /api/v1${paths.task} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${line}\r\n\r\n`,
    );
    expect(answer.status, line).toBe(400);
    expect(answer.text.toLowerCase()).not.toContain("set-cookie");
  }
});

test("absurd paths are refused", async () => {
  const id = paths.task.split("/").at(-1) as string;
  // biome-ignore format: a corpus reads best as a block.
  const targets: [string, number][] = [
    ["/api/v1/tasks/%00", 400], ["/api/v1/tasks/%ff", 400], ["/api/v1/tasks/%", 400], ["/api/v1/tasks/%zz", 400], ["/api/v1/tasks/..%2f..%2fetc%2fpasswd", 400],
    ["/api/v1/tasks/../../../etc/passwd", 404], ["/api/v1/../../etc/passwd", 404], ["//api/v1/tasks", 404], [`/api/v1/tasks/${id}/`, 404], [`/api/v1/tasks//${id}`, 404],
    [`/API/V1/tasks/${id}`, 404], [`/api/v1/tasks/${id}%00`, 400], [`/api/v1/tasks/${id}%20`, 400], [`/api/v1/tasks/ ${id}`, 400], [`/api/v1/tasks/${"a".repeat(5000)}`, 400],
    ["/api/v1/tasks/__proto__", 400], ["/api/v1/__proto__", 404], ["/api/v1/tasks/\u0001", 400], ["/api/v1/tasks/💥", 400],
  ];
  for (const [target, status] of targets) {
    const { cookie } = sessionHeaders(place.owner.session);
    const answer = await bytesTo(
      running.url,
      `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${cookie}\r\n\r\n`,
    );
    expect([target, answer.status], answer.text).toEqual([target, status]);
    expect(answer.text).toMatch(/content-type: application\/problem\+json/i);
  }
});

test("a request line, headers or framing that cannot be read is refused as a problem", async () => {
  const long = "x".repeat(100_000);
  const unreadable: [string, number][] = [
    [`GET /api/v1${paths.list}?cursor=${long} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    [`GET /api/v1${paths.list} HTTP/1.1\r\nhost: x\r\nx-long: ${long}\r\n\r\n`, 431],
    [`GET /api/v1${paths.list} HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(5000)}\r\n`, 431],
    ["nonsense\r\n\r\n", 400],
    ["GET / HTTP/9.9\r\nhost: x\r\n\r\n", 400],
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
    [`POST /api/v1${paths.create} HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n`, 400],
    [`POST /api/v1${paths.create} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello`, 400],
    [
      `POST /api/v1${paths.create} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: ` +
        `chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [`POST /api/v1${paths.create} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
  ];
  for (const [request, status] of unreadable) {
    const answer = await bytesTo(running.url, request);
    expect([request.slice(0, 40), answer.status], answer.text.slice(0, 400)).toEqual([request.slice(0, 40), status]);
    expect(answer.text).toMatch(/content-type: application\/problem\+json/i);
    expect(answer.text).toMatch(/x-correlation-id: \S+/i);
    expect(answer.text).toMatch(/cache-control: no-store/i);
  }
});

test("a client that hangs up in the middle of its body leaves the service unharmed", async () => {
  await inTurns(Array.from({ length: 20 }), async () => {
    const { hostname, port } = new URL(running.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/v1${paths.create} HTTP/1.1\r\nhost: x\r\n${headLines()}content-length: 1000\r\n\r\n{"title":`,
          () => socket.destroy(),
        );
      }).on("close", () => resolve());
    });
  });
  expect((await place.owner.call("GET", paths.task)).status).toBe(200);
});

const headLines = () =>
  Object.entries({
    ...sessionHeaders(place.owner.session),
    "content-type": "application/json",
    "idempotency-key": newKey(),
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** A request of the owner whose body is framed by hand. */
async function exchange(headers: Record<string, string>, method: string, path: string, body: Buffer) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status, text } = await bytesTo(
    running.url,
    Buffer.concat([
      Buffer.from(`${method} /api/v1${path} HTTP/1.1\r\nhost: x\r\n${headLines()}${lines.join("")}\r\n`),
      body,
    ]),
  );
  return { status, code: /"code":"(\w+)"/.exec(text)?.[1] };
}
