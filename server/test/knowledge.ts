// What tests of Knowledge stand on: a service whose storage and log they see, what is due brought into its index, and
// questions.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, expect } from "vitest";
import { indexKnowledge } from "../src/knowledge/retrieval/jobs.ts";
import type { Storage } from "../src/platform/outside/external-systems.ts";
import { openStorage } from "../src/platform/outside/storage.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { any } from "./documents.ts";
import { type Person, service, type TestService, testConfig, type World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Found = any;

const failed = (error: unknown) => {
  throw error;
};
async function settings(home: World, body: object) {
  const path = `/workspaces/${home.workspaceId}/knowledge-settings`;
  const answer = await home.owner.call("PATCH", path, { body, headers: any.headers });
  expect(answer.status, answer.text).toBe(200);
}
/** Lets what is there be known, in a service whose files nobody reads. */
export async function letKnow(running: TestService, home: World, body: object) {
  await settings(home, body);
  await indexAll(running);
}
/** Indexes what is due, in a service whose files nobody reads. */
export const indexAll = ({ database }: TestService) =>
  indexKnowledge({ database, outside: { storage: NO_FILES } }, failed);
const NO_FILES = { get: async () => undefined } as unknown as Storage;

export function knowing(config: Partial<Config> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-knowledge-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  let logged = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const running = service({ ...config, dataDir }, { log: createLog("info", stream) });
  const storage = openStorage({ ...testConfig, dataDir }, () => running.url);
  const ask = (home: World, what: "search" | "answer", q: string, person: Person = home.owner) =>
    person.call("GET", `/workspaces/${home.workspaceId}/knowledge/${what}?q=${encodeURIComponent(q)}`);
  const find = async (home: World, q: string, person?: Person): Promise<Found[]> => {
    const answer = await ask(home, "search", q, person);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.items;
  };
  return {
    running,
    ask,
    find,
    passages: async (home: World, q: string, person?: Person): Promise<string[]> =>
      (await find(home, q, person)).map(({ passage }) => passage),
    index: () => indexKnowledge({ database: running.database, outside: { storage } }, failed),
    settings,
    logged: () => logged,
  };
}

export const KEYS = `# Operations

Say hello.

## Signing keys

Keys are rotated on the first Monday of a quarter. Whoever is on duty does it.

## Backups

A copy of all data is made every night and kept for a week.`;
