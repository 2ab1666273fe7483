// Every command of the table, as its first example has it, where it must be refused: by who it does not know, without a
// network, and with credentials that have ended.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { service, world } from "../../server/test/world.ts";
import type { Command } from "../src/command.ts";
import { commands } from "../src/command-table.ts";
import { type Ended, type Home, newHome, signedIn } from "./program.ts";

const running = service();

/** They need no service, or are about getting in themselves. */
const APART = ["login", "logout", "profile list", "profile use", "help", "completion", "mcp"];
const asking = commands.filter(({ name }) => !APART.includes(name));
/** What their examples leave to standard input or an editor. */
const MORE: Record<string, string[]> = { "doc edit": ["--body", "x"], import: ["--yes"] };

/** As a shell would cut it. */
const cut = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? (bare as string));
const argsOf = ({ name, examples }: Command) => [
  ...cut(String(examples[0]?.[0]).replace(/ [<>].*$/, "")),
  ...(MORE[name] ?? []),
];

/** Of every one of these, a few at a time. */
async function all(home: Home, some = asking): Promise<Map<string, Ended>> {
  writeFileSync(join(home.dir, "tasks.csv"), "Title\nGears\n");
  // Some examples leave the Task to the branch.
  await home.run("git", ["init", "-q", "-b", "eng-12-gears", home.dir]);
  const ends = new Map<string, Ended>();
  const left = [...some];
  const work = async () => {
    for (let command = left.pop(); command; command = left.pop())
      ends.set(command.name, await home.svc(argsOf(command), { stdin: "x" }));
  };
  await Promise.all([work(), work(), work()]);
  return ends;
}
const codes = (ends: Map<string, Ended>) => Object.fromEntries([...ends].map(([name, { code }]) => [name, code]));
const each = (code: number) => Object.fromEntries(asking.map(({ name }) => [name, code]));

describe("every command", () => {
  test("asks whoever is not signed in to do so: 4, and nothing on standard output", async () => {
    const ends = await all(newHome());
    expect(codes(ends)).toEqual(each(4));
    for (const { out, err } of ends.values()) expect([out, err]).toEqual(["", expect.stringContaining("svc login")]);
  });

  test("says that a service does not answer: 1, and what to do", async () => {
    const home = await signedIn(running, await world(running));
    const file = join(home.config, "profiles/test.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(running.url, "http://127.0.0.1:1"));
    const ends = await all(home);
    expect(codes(ends)).toEqual(each(1));
    for (const { out, err } of ends.values()) expect([out, err]).toEqual(["", expect.stringContaining("ECONNREFUSED")]);
  });

  test("says that a sign-in has ended, or a token is not accepted: 4, and how to get the next one", async () => {
    const place = await world(running);
    const home = await signedIn(running, place, { expired: true });
    await running.sql("update oauth_grants set revoked_at = now() where user_id = $1", [place.owner.userId]);
    const ended = await all(home);
    expect(codes(ended)).toEqual(each(4));
    for (const { err } of ended.values()) expect(err).toContain("svc login --profile test");
    const token = await place.token();
    await running.sql("update credentials set revoked_at = now() where user_id = $1", [place.owner.userId]);
    // One of each way to the service.
    const ways = ["work", "api", "time add", "export", "import", "status"];
    const some = asking.filter(({ name }) => ways.includes(name));
    const revoked = await all(newHome({ SVC_TOKEN: token, SVC_URL: running.url }), some);
    expect(codes(revoked)).toEqual(Object.fromEntries(ways.map((name) => [name, 4])));
    for (const { err } of revoked.values()) expect(err).toContain("does not accept SVC_TOKEN");
  });
});
