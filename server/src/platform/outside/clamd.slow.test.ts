// The client of clamd against a peer of our own on real sockets: what it sends, and that nothing but one answer means
// clean.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Peer, startPeer } from "../../../test/clamd.ts";
import { isClamdUrl } from "../settings/value-readers.ts";
import { clamd } from "./clamd.ts";

const dir = mkdtempSync(join(tmpdir(), "svc-peer-"));
const peers: Record<string, Peer> = {
  tcp: await startPeer({ port: 0, host: "127.0.0.1" }),
  unix: await startPeer({ path: join(dir, "socket") }),
};
afterAll(async () => {
  for (const peer of Object.values(peers)) await peer.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  for (const peer of Object.values(peers))
    Object.assign(peer, { answer: "stream: OK", manner: "good", files: [], received: 0 });
});

async function* pieces(...all: Buffer[]) {
  for (const each of all) yield each;
}
const noise = randomBytes(1_000_000);

describe.each(["tcp", "unix"])("over %s", (kind) => {
  const peer = peers[kind] as Peer;
  const scan = clamd(peer.url);

  test("the file arrives whole, in whatever pieces it is read", async () => {
    expect(await scan(pieces(noise.subarray(0, 1), noise.subarray(1, 300_000), noise.subarray(300_000)))).toBe("clean");
    expect(peer.files[0]?.equals(noise)).toBe(true);
  });

  test.each([
    ["stream: OK", "clean"],
    ["stream: Win.Test.EICAR_HDB-1 FOUND", "infected"],
    ["stream: Own Name With Spaces FOUND", "infected"],
    ["stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND", "unscannable"],
    ["INSTREAM size limit exceeded. ERROR", "unscannable"],
  ])("%s means %s", async (answer, verdict) => {
    peer.answer = answer;
    expect(await scan(pieces(noise))).toBe(verdict);
  });

  test.each(["", "OK", "stream: OK ", "stream: Can't allocate memory ERROR", "UNKNOWN COMMAND", "stream: FOUND"])(
    "an answer that is not known is not taken for clean: %j",
    async (answer) => {
      peer.answer = answer;
      await expect(scan(pieces(noise))).rejects.toThrow("clamd answered");
    },
  );

  test("an answer that comes before the file has ended counts, and the rest is not sent", async () => {
    Object.assign(peer, { answer: "INSTREAM size limit exceeded. ERROR", manner: "early" });
    let asked = 0;
    async function* endless() {
      for (; asked < 10_000; asked++) yield noise;
    }
    // It closes at once, so its answer is lost now and then: that throws, and the next attempt finds out.
    await expect.poll(() => scan(endless()).catch(() => "again")).toBe("unscannable");
    expect(asked).toBeLessThan(10_000);
  });

  test("a connection that is cut off, or closed without an answer, throws", async () => {
    peer.manner = "cut";
    await expect(scan(pieces(noise))).rejects.toThrow();
  });

  test.each(["deaf", "mute"] as const)(
    "a scanner that is %s is not waited for longer than patience lasts",
    async (manner) => {
      peer.manner = manner;
      await expect(clamd(peer.url, 200)(pieces(...Array(5).fill(noise)))).rejects.toThrow("has not moved for 200 ms");
    },
  );

  test("a file that breaks off while it is read is not scanned as if it had ended", async () => {
    async function* broken() {
      yield noise;
      throw new Error("storage is gone");
    }
    await expect(scan(broken())).rejects.toThrow("storage is gone");
    expect(peer.files).toEqual([]);
  });
});

test("where nothing listens it throws", async () => {
  await expect(clamd("tcp://127.0.0.1:1")(pieces(noise))).rejects.toThrow("ECONNREFUSED");
  await expect(clamd(`unix:${join(dir, "nothing")}`)(pieces(noise))).rejects.toThrow("ENOENT");
});

test("an address of clamd is tcp with host and port, or a path", () => {
  for (const good of [
    "tcp://127.0.0.1:3310",
    "tcp://clamd.internal:3310",
    "tcp://[::1]:3310",
    "unix:/run/clamav/clamd.ctl",
  ])
    expect(isClamdUrl(good), good).toBe(true);
  for (const bad of [
    "",
    "tcp://host",
    "tcp://host:0",
    "tcp://host:65536",
    "tcp://host:1/x",
    "http://host:1",
    "unix:run",
    "unix:",
  ])
    expect(isClamdUrl(bad), bad).toBe(false);
});
