// A worker that synchronises knowledge repositories, as a process of its own: a test kills it, or measures its memory.

import { repositoryJobs } from "../src/knowledge/repository/jobs.ts";
import { startWorker } from "../src/platform/background/jobs.ts";
import { openDatabase } from "../src/platform/database/db.ts";
import { egressTo } from "../src/platform/outside/egress.ts";
import type { ExternalSystems } from "../src/platform/outside/external-systems.ts";
import { openStorage } from "../src/platform/outside/storage.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";

const { DATABASE_URL = "", DATA_DIR = "", GIT_ORIGIN = "", KEY = "" } = process.env;
const origin = () => "http://localhost";
const secretKeys = [{ id: "test", key: Buffer.from(KEY, "hex") }];
const outside = {
  git: egressTo({ allow: [GIT_ORIGIN] }),
  secrets: secretBox(secretKeys),
  scan: null,
  origin,
  storage: openStorage(
    { secretKeys, dataDir: DATA_DIR, storageUrl: null, uploadLimit: 1e8 } as unknown as Config,
    origin,
  ),
} as ExternalSystems;
const log = createLog("silent");
const jobs = repositoryJobs({ database: openDatabase(DATABASE_URL), outside, log });
await startWorker(DATABASE_URL, { jobs }, log, 200);
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
  process.send?.({ peak });
}, 50);
process.send?.({ ready: true });
