// A worker that applies lifecycle mappings, as a process of its own: a test kills it.

import { startWorker } from "../src/background/jobs.ts";
import { openDatabase } from "../src/database/db.ts";
import { lifecycleJobs } from "../src/lifecycle/jobs.ts";
import { createLog } from "../src/wire/log.ts";

const { DATABASE_URL = "" } = process.env;
const jobs = lifecycleJobs(openDatabase(DATABASE_URL), { pageSize: 100, rest: 0 });
await startWorker(DATABASE_URL, { jobs }, createLog("silent"), 200);
process.send?.("ready");
