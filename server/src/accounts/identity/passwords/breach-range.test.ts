// The range service of stolen passwords: what it is told, what it may answer, and that nothing depends on it.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, test } from "vitest";
import { resetToken, withPassword } from "../../../../test/letters.ts";
import { service } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const stolen = "Stolen-elsewhere-93-ink";
const padded = "Padding-only-55-vellum";
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex").toUpperCase();
const listing = [`${sha1(stolen).slice(5)}:42`, `${sha1(padded).slice(5)}:0`, `${"0".repeat(35)}:1`].join("\r\n");

let asked: IncomingMessage[] = [];
let answer: (response: ServerResponse) => void = (response) => response.end(listing);
const ranges = createServer((request, response) => {
  asked.push(request);
  answer(response);
});
await new Promise<void>((resolve) => ranges.listen(0, "127.0.0.1", resolve));
const running = service({ breachRangeUrl: `http://127.0.0.1:${(ranges.address() as AddressInfo).port}/range` });
beforeEach(() => {
  asked = [];
  answer = (response) => response.end(listing);
});
afterAll(() => {
  ranges.closeAllConnections();
  ranges.close();
});
const register = (password: string) =>
  running.send("POST", "/auth/register", {
    body: { email: `${newId()}@example.com`, password, display_name: "Ada" },
  });

test("a password that the service knows as stolen is refused; it learns five digits of a hash and nothing else", async () => {
  const refused = await register(stolen);
  expect([refused.status, refused.body.code]).toEqual([422, "password_breached"]);
  expect(asked.map(({ method, url }) => [method, url])).toEqual([["GET", `/range/${sha1(stolen).slice(0, 5)}`]]);
  expect(asked[0]?.headers["add-padding"]).toBe("true");
  expect(JSON.stringify(asked[0]?.headers)).not.toMatch(/cookie|authorization|@example/i);
});

test("padding is no hit, and another password passes", async () => {
  expect((await register(padded)).status).toBe(201);
  expect((await register("quartz-lantern-48-vellum")).status).toBe(201);
});

test("resetting and changing a password ask it too", async () => {
  const person = await withPassword(running);
  const body = { token: await resetToken(running, person.email), new_password: stolen };
  expect((await running.send("POST", "/auth/password/reset", { body })).body.code).toBe("password_breached");
  const change = { current_password: "quartz-lantern-48-vellum", new_password: stolen };
  const answered = await person.call("POST", "/auth/password/change", { body: change });
  expect(answered.body).toMatchObject({ code: "password_breached", errors: [{ pointer: "/body/new_password" }] });
  expect(asked).toHaveLength(2);
});

test("what the shipped list refuses is told to nobody", async () => {
  expect((await register("123qweasdzxc")).body.code).toBe("password_breached");
  expect(asked).toEqual([]);
});

test("a service that fails, hangs, answers nonsense or without end leaves the decision to the shipped list", async () => {
  const failures: (typeof answer)[] = [
    (response) => response.writeHead(500).end(listing),
    (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    (response) => response.socket?.destroy(),
    () => {},
    (response) => response.end(Buffer.from([0, 255, 13, 10, 58, 58])),
    (response) => response.end(`${"x".repeat(300 * 1024)}\r\n${listing}`),
  ];
  for (const failure of failures) {
    answer = failure;
    expect((await register(stolen)).status).toBe(201);
    expect((await register("123qweasdzxc")).status).toBe(422);
  }
});
