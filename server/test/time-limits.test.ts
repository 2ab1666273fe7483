// The limits of tests: by tier, and longer than any wait within them, so that the error of a hanging test names what it
// waited for.
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { exchange } from "./client.ts";
import { until } from "./editing.ts";
import { eventually } from "./eventually.ts";
import { nameWaits, registeredWaits } from "./wait-limit.ts";

test("a test of the first tier may last 60 s, times TEST_LIMIT_FACTOR", ({ task }) => {
  expect(task.timeout).toBe(60_000 * Number(process.env.TEST_LIMIT_FACTOR ?? 1));
});

/** Leaves a wait one second. */
const LIMIT = { timeout: 6_000 };

test("a wait in vain fails before its test, with the last failure", LIMIT, async () => {
  const waiting = eventually(() => Promise.reject(new Error("3 of 4 have arrived")));
  await expect(waiting).rejects.toThrow(/^still failing after \d+ ms: 3 of 4 have arrived$/);
});

test("a condition that does not come true is named", LIMIT, async () => {
  await expect(until("the editor is ready", () => false)).rejects.toThrow(/^the editor is ready did not happen/);
});

test("a poll in vain fails before its test, and names what it compared", LIMIT, async () => {
  const polling = expect.poll(() => "not yet").toBe("arrived");
  await expect(polling).rejects.toThrow(/expected 'not yet' to be 'arrived'/);
});

test("a request without an answer is named by the test that times out", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const connected = new Promise<Socket>((resolve) => silent.once("connection", resolve));
  const asking = exchange("GET", `http://127.0.0.1:${port}/silent`, {});
  const socket = await connected;
  expect(registeredWaits(Number.POSITIVE_INFINITY)).toContainEqual(expect.stringMatching(/^GET \/silent for \d+ s$/));
  const [late, wrong] = [new Error("Test timed out in 60000ms."), new Error("expected 1 to be 2")];
  nameWaits([late, wrong], ["GET /silent for 59 s"]);
  expect(late.message).toBe("Test timed out in 60000ms.\nThe worker was waiting for:\nGET /silent for 59 s");
  expect(wrong.message).toBe("expected 1 to be 2");
  socket.destroy();
  silent.close();
  await expect(asking).rejects.toThrow("socket hang up");
  expect(registeredWaits(Number.POSITIVE_INFINITY)).not.toContainEqual(expect.stringContaining("/silent"));
});
