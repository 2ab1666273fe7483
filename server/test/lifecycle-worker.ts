// A worker that applies lifecycle mappings, as a process of its own: a test kills it.

import { lifecycleJobs } from "../src/planning/lifecycle/jobs.ts";
import { startWorker } from "../src/platform/background/jobs.ts";
import { openDatabase } from "../src/platform/database/db.ts";
import { createLog } from "../src/platform/wire/log.ts";

const { DATABASE_URL = "" } = process.env;
const jobs = lifecycleJobs(openDatabase(DATABASE_URL), { pageSize: 100, rest: 0 });
await startWorker(DATABASE_URL, { jobs }, createLog("silent"), 200);
process.send?.("ready");
