// A worker that delivers mail, as a process of its own: a test kills it.

import { startWorker } from "../src/background/jobs.ts";
import { openDatabase } from "../src/database/db.ts";
import { openMail } from "../src/outside/mail.ts";
import { createLog } from "../src/wire/log.ts";
import { secretBox } from "../src/wire/secret-box.ts";

const { DATABASE_URL = "", SMTP_URL = "", KEY = "" } = process.env;
const secrets = secretBox([{ id: "test", key: Buffer.from(KEY, "hex") }]);
const config = { smtpUrl: SMTP_URL, mailFrom: "svc <post@example.com>" };
const mail = openMail(config as never, openDatabase(DATABASE_URL), secrets);
await startWorker(DATABASE_URL, { jobs: mail.jobs }, createLog("silent"), 200);
process.send?.("ready");
