// The mail of a test service: letters that were posted and wait for a worker, and those in the outbox of a service
// without SMTP.

import pg from "pg";
import type { Letter } from "../src/platform/outside/external-systems.ts";
import { secretBox } from "../src/platform/wire/secret-box.ts";
import { type TestService, testKeys } from "./world.ts";

const WAITING = `select j.payload from graphile_worker._private_jobs j
  join graphile_worker._private_tasks t on t.id = j.task_id
where t.identifier = 'send_mail' order by j.id`;
const SENT = "select id, sealed from mail_outbox where sealed is not null order by created_at, id";

/** Oldest first. */
export async function lettersTo(running: TestService, address: string): Promise<Letter[]> {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    const box = secretBox(testKeys);
    const waiting = (await client.query(WAITING)).rows.map(({ payload }) => payload);
    const sent = (await client.query(SENT)).rows;
    return [...sent, ...waiting]
      .flatMap(({ id, sealed }): Letter[] => JSON.parse(box.open(sealed, id) ?? "[]"))
      .filter(({ to }) => to === address);
  } finally {
    await client.end();
  }
}

/** The first link in the newest letter to this address. */
export async function linkTo(running: TestService, address: string): Promise<URL> {
  const found = /https?:\/\/\S+/.exec((await lettersTo(running, address)).at(-1)?.text ?? "")?.[0];
  if (!found) throw new Error(`no letter with a link to ${address}`);
  return new URL(found);
}
