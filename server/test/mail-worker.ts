// A worker that delivers mail, as a process of its own: a test kills it.
import { openDatabase } from "../src/kernel/db.ts";
import { startWorker } from "../src/kernel/jobs.ts";
import { createLog } from "../src/kernel/log.ts";
import { openMail } from "../src/kernel/mail.ts";
import { secretBox } from "../src/kernel/secret-box.ts";

const { DATABASE_URL = "", SMTP_URL = "", KEY = "" } = process.env;
const secrets = secretBox([{ id: "test", key: Buffer.from(KEY, "hex") }]);
const config = { smtpUrl: SMTP_URL, mailFrom: "svc <post@example.com>" };
const mail = openMail(config as never, openDatabase(DATABASE_URL), secrets);
await startWorker(DATABASE_URL, { jobs: mail.jobs }, createLog("silent"), 200);
process.send?.("ready");
