// A second service in this process, on the database of one that a test has started. The two notify each other as two
// processes do, and cost less: another-process.ts starts a process, which can be killed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../src/platform/settings/config.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { type ServerParts, serve } from "../src/server.ts";
import { ownerUrl } from "./database.ts";
import { type TestService, testConfig } from "./world.ts";

export interface SecondServer {
  url: string;
  close(): Promise<void>;
}

export async function secondServer(
  { databaseUrl }: TestService,
  config: Partial<Config> = {},
  parts: ServerParts = {},
): Promise<SecondServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-second-"));
  const { url, close } = await serve({ ...testConfig, dataDir, ...config }, ownerUrl(databaseUrl), {
    log: createLog("error"),
    ...parts,
  });
  return {
    url,
    async close() {
      await close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
