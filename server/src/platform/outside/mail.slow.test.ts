// Delivery of mail by a worker process that is killed.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { startMailServer } from "../../../test/smtp.ts";
import { service, testKeys } from "../../../test/world.ts";
import { enqueue } from "../background/jobs.ts";
import { newId } from "../wire/ids.ts";
import { secretBox } from "../wire/secret-box.ts";
import { letter } from "./letter.ts";

const running = service({});
const secrets = secretBox(testKeys);

test("a letter whose worker was killed while it was being sent is sent once by the next one", async () => {
  const own = await startMailServer();
  const begun = Promise.withResolvers<void>();
  own.atRecipient = () => {
    begun.resolve();
    return new Promise(() => {});
  };
  const worker = (): ChildProcess => {
    const env = {
      DATABASE_URL: running.databaseUrl,
      SMTP_URL: own.url,
      KEY: String(testKeys[0]?.key.toString("hex")),
    };
    const child = fork(new URL("../../../test/mail-worker.ts", import.meta.url), { env: { ...process.env, ...env } });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const first = worker();
  await once(first, "message");
  const id = newId();
  const sealed = secrets.seal(
    JSON.stringify(letter({ to: "a@example.com", subject: "Hello", paragraphs: ["Good day."] })),
    id,
  );
  await running.database.writer.use((tx) => enqueue(tx, "send_mail", { id, sealed }));
  await begun.promise;
  first.kill("SIGKILL");
  await once(first, "exit");
  own.atRecipient = async () => {};
  await running.asOwner("update graphile_worker._private_jobs set locked_at = now() - interval '31 seconds'");
  const second = worker();
  await eventually(() => expect(own.accepted).toHaveLength(1));
  await eventually(async () => expect(await running.sql("select from mail_outbox")).toHaveLength(1));
  expect(own.accepted).toHaveLength(1);
  second.kill("SIGKILL");
  await once(second, "exit");
  await own.stop();
});
