// Bounds of a pack that only large packs reach: 32 MB as it comes, and 512 MB once it is unpacked.
import { expect, onTestFinished, test } from "vitest";
import { packObject, packOf } from "../../../../test/git-pack.ts";
import { cloneOf, startGitServer } from "../../../../test/git-server.ts";
import { egressTo } from "../../../platform/outside/egress.ts";
import { openGit } from "./git.ts";
import { checkPack } from "./pack-limits.ts";

/** Bytes that look random, and are the same in every run. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 1; at < bytes.length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

test("a pack that is too large is refused with a code of its own", async () => {
  const server = await startGitServer();
  const url = server.create();
  const clone = cloneOf(server, url);
  const git = openGit(egressTo({ allow: [server.origin] }), { url, username: null, credential: "a-token" });
  onTestFinished(async () => {
    await git.close();
    clone.remove();
    await server.close();
  });
  clone.write("large.bin", noise(34 * 1024 * 1024));
  clone.push();
  await expect(git.pull({ branch: "main", since: null })).rejects.toMatchObject({ code: "repository_too_large" });
});

test("all objects together are refused above 512 MB", () => {
  const large = packObject(Buffer.alloc(32 * 1024 * 1024));
  const sixteen = Array<Buffer>(16).fill(large);
  checkPack(packOf(sixteen));
  expect(() => checkPack(packOf([...sixteen, packObject(Buffer.from("x"))]))).toThrow("repository_too_large");
});
