// A worker that delivers mail, as a process of its own: a test kills it.

import { startWorker } from "../src/platform/background/jobs.ts";
import { openDatabase } from "../src/platform/database/db.ts";
import { openMail } from "../src/platform/outside/mail.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";

const { DATABASE_URL = "", SMTP_URL = "", KEY = "" } = process.env;
const secrets = secretBox([{ id: "test", key: Buffer.from(KEY, "hex") }]);
const config = { smtpUrl: SMTP_URL, mailFrom: "svc <post@example.com>" };
const mail = openMail(config as never, openDatabase(DATABASE_URL), secrets);
await startWorker(DATABASE_URL, { jobs: mail.jobs }, createLog("silent"), 200);
process.send?.("ready");
