// Files and the real clamd, with a signature file of our own: found ones are never given out, and what cannot be
// scanned is not either.
import { afterAll, expect, test } from "vitest";
import { findClamd } from "../../../../scripts/clamd.mjs";
import { newAttachment } from "../../../test/attachments.ts";
import { eicar, startClamd } from "../../../test/clamd.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { clamd } from "../../platform/outside/clamd.ts";

const scanner = await startClamd(findClamd() as string);
afterAll(() => scanner.close());
const running = service({ clamdUrl: scanner.url, roles: ["api", "worker"] });

const stateOf = (person: Person, id: string) => async () =>
  (await person.call("GET", `/attachments/${id}`)).body.scan_state;
const download = (person: Person, id: string) => person.call("POST", `/attachments/${id}/download`, { key: newKey() });

test("a harmless file is clean and given out, EICAR is infected and is not, and what is too large fails", async () => {
  const { owner } = await world(running);
  const [harmless, evil, large] = [
    await newAttachment(owner, Buffer.from("Forty gears.")),
    await newAttachment(owner, eicar),
    await newAttachment(owner, Buffer.alloc(700 * 1024, 65)),
  ];
  await expect.poll(stateOf(owner, harmless.id)).toBe("clean");
  await expect.poll(stateOf(owner, evil.id)).toBe("infected");
  await expect.poll(stateOf(owner, large.id)).toBe("failed");
  const answers = await Promise.all([harmless, evil, large].map(({ id }) => download(owner, id)));
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [200, undefined],
    [409, "attachment_infected"],
    [409, "scan_failed"],
  ]);
});

test("while the scanner stands still a file is pending and not given out, and it is looked into afterwards", async () => {
  const { owner } = await world(running);
  scanner.pause();
  const { id } = await newAttachment(owner, Buffer.from("Forty more."));
  expect((await download(owner, id)).body.code).toBe("scan_pending");
  scanner.resume();
  await expect.poll(stateOf(owner, id)).toBe("clean");
});

test("more than it takes in one stream is refused by it, which is no verdict", async () => {
  async function* large() {
    for (let sent = 0; sent < 20; sent++) yield Buffer.alloc(100_000, 65);
  }
  const scan = clamd(scanner.url);
  await expect.poll(() => scan(large()).catch(() => "again")).toBe("unscannable");
});
