// Completion cache of a Workspace: codes, names and titles, in one file per profile that only its owner can read.
// Completion answers from the cache at once; if it is stale, a background process refreshes it, and completion waits
// for that only briefly.
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { addressOf, chosenProfile, knownFile, makeFolder, readPlace, replaceFile } from "../credentials/profiles.ts";
import type { Runtime } from "../runtime.ts";
import type { Candidate } from "./completion-candidates.ts";

export interface Known {
  /** Service and Workspace of the cache; another one's entries are not offered. */
  of: string;
  tasks: Candidate[];
  projects: Candidate[];
  documents: Candidate[];
  workspaces: Candidate[];
  /** Names of Statuses by Project key. */
  statuses: Record<string, string[]>;
}

type Env = NodeJS.ProcessEnv;

const FRESH_MS = 60_000;
/** A refresh that started within this time is not started again. */
const ASKED_MS = 5_000;
/** Deadline since the start of the process, in milliseconds: the limit for completion is 300. */
const PATIENCE_MS = 250;

/** Path of the cache file, and the service and Workspace that it must belong to. */
export function knownPlace(env: Env, asked: string | undefined): { file: string; of: string } | undefined {
  if (env.SVC_TOKEN) {
    const of = createHash("sha256").update(`${env.SVC_URL} ${env.SVC_TOKEN}`).digest("hex");
    return { file: knownFile(env, `token-${of.slice(0, 16)}`), of };
  }
  const name = chosenProfile(env, asked);
  const place = name === undefined ? undefined : readPlace(env, name);
  return name === undefined || !place
    ? undefined
    : { file: knownFile(env, name), of: `${addressOf(place.url)} ${place.workspace.id}` };
}

const ageOf = (file: string) => {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

function kept({ file, of }: { file: string; of: string }): Known | undefined {
  try {
    const found = JSON.parse(readFileSync(file, "utf8")) as Known;
    return found.of === of ? found : undefined;
  } catch {
    return undefined;
  }
}

export function keepKnown(file: string, known: Known): void {
  makeFolder(dirname(file));
  replaceFile(file, JSON.stringify(known));
}

/** Starts a refresh unless one is running; false if the cache cannot be stored. */
function ask(runtime: Runtime, file: string, profile: string | undefined): boolean {
  const mark = `${file}.asked`;
  if (ageOf(mark) < ASKED_MS) return true;
  try {
    makeFolder(dirname(file));
    writeFileSync(mark, "", { mode: 0o600 });
  } catch {
    // A refresh is useless if the cache cannot be stored.
    return false;
  }
  runtime.startDetached(["complete", "learn", ...(profile === undefined ? [] : [profile])]);
  return true;
}

export async function known(runtime: Runtime, profile: string | undefined): Promise<Known | undefined> {
  const place = knownPlace(runtime.env, profile);
  if (!place) return undefined;
  let found = kept(place);
  if (found && ageOf(place.file) < FRESH_MS) return found;
  const asking = ask(runtime, place.file, profile);
  while (!found && asking && performance.now() - runtime.startedAt < PATIENCE_MS) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    found = kept(place);
  }
  return found;
}
