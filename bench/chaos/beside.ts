// Background work while the network fails: a lifecycle migration of many Tasks in a Workspace of its own, and mails.
// Mails are queued through a connection that bypasses the failing network, as a commit would queue them. At the end
// every mail must have arrived at least once, and every Task must have been migrated.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { letter } from "../../server/src/platform/outside/letter.ts";
import { loadSecretKeys } from "../../server/src/platform/settings/secret-keys.ts";
import { newId } from "../../server/src/platform/wire/ids.ts";
import { secretBox } from "../../server/src/platform/wire/secret-box.ts";
import { fill } from "../data.ts";
import { type Migration, ownerOn, previewMapping } from "../lifecycle.ts";
import { startMailSink } from "./mail-sink.ts";

/** Enough Tasks that the migration is still running at the first faults. */
const TASKS = 6000;
const EVERY_MS = 200;
/** Maximum time without progress: a job that failed three times pauses for 20 s. */
const PATIENCE_MS = 60_000;

const POST = "select enqueue_job('send_mail', $1::json)";
const STATE = "select state, moved::int, error_code from lifecycle_migrations where workspace_id = $1 and id = $2";
const LEFT = "select count(*)::int as left from tasks where workspace_id = $1 and status_id = $2";

export async function workBeside(databaseUrl: string, dataDir: string) {
  const mail = await startMailSink();
  const secrets = secretBox(loadSecretKeys(dataDir));
  const data = await fill(databaseUrl, [TASKS], "MIG");
  const client = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  client.on("error", () => {});
  const posted = new Set<string>();
  let posting: Promise<void> | null = null;
  let migration: Migration | null = null;
  let done = false;

  async function post() {
    for (; !done; await sleep(EVERY_MS)) {
      const id = newId();
      const action = { label: "Open", url: "http://localhost/" };
      const text = JSON.stringify(
        letter({ to: `${id}@example.com`, subject: "Chaos", paragraphs: ["Good day."], action }),
      );
      const job = JSON.stringify({ id, sealed: secrets.seal(text, id) });
      // No mail is queued while the database itself is down.
      await client.query(POST, [job]).then(
        () => posted.add(id),
        () => {},
      );
    }
  }
  const { messageIds } = mail;
  const missing = () => {
    const arrived = new Set(messageIds);
    return [...posted].filter((id) => !arrived.has(id));
  };
  const state = async () =>
    (await client.query(STATE, [data.workspaceId, migration?.id])).rows[0] as {
      state: string;
      moved: number;
      error_code: string;
    };
  const isOver = async () =>
    missing().length === 0 && !["pending", "processing", "retry"].includes((await state()).state);

  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= (async () => {
      done = true;
      await posting;
      await client.end();
      await mail.stop();
    })();
    return closing;
  };
  return {
    smtpUrl: mail.url,
    close,
    async begin(port: number) {
      migration = await (await previewMapping(ownerOn(port, data), data)).apply();
      posting = post();
    },
    async end() {
      done = true;
      await posting;
      for (
        let [steps, since] = [-1, Date.now()];
        !(await isOver()) && Date.now() - since < PATIENCE_MS;
        await sleep(250)
      ) {
        const now = (await state()).moved + messageIds.length;
        if (now !== steps) [steps, since] = [now, Date.now()];
      }
      const { state: last, error_code } = await state();
      const { left } = (await client.query(LEFT, [data.workspaceId, data.statusId])).rows[0];
      await close();
      const broken = missing().map((id) => `letter ${id} was never sent`);
      if (last !== "completed" || left > 0)
        broken.push(`the lifecycle migration is ${last} (${error_code ?? "no error"}), ${left} Tasks are left behind`);
      const counts = {
        "letters posted": posted.size,
        "  sent more than once": messageIds.length - new Set(messageIds).size,
        "Tasks migrated": TASKS - left,
      };
      return { counts, broken };
    },
  };
}
