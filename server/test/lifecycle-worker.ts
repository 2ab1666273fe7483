// A worker that applies lifecycle mappings, as a process of its own: a test kills it.
import { openDatabase } from "../src/kernel/db.ts";
import { startWorker } from "../src/kernel/jobs.ts";
import { createLog } from "../src/kernel/log.ts";
import { lifecycleJobs } from "../src/lifecycle/jobs.ts";

const { DATABASE_URL = "" } = process.env;
const jobs = lifecycleJobs(openDatabase(DATABASE_URL), { pageSize: 100, rest: 0 });
await startWorker(DATABASE_URL, { jobs }, createLog("silent"), 200);
process.send?.("ready");
