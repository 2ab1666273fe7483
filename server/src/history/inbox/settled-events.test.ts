// The position up to which followers have read events by time: no event appears behind it. Decision 0214.
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { service } from "../../../test/world.ts";

const running = service();

test("a transaction that has written is waited for however long it takes; one that has only read, for its patience", async () => {
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  try {
    await admin.query("begin");
    const [begun] = (await admin.query<{ now: string }>("select now()::text as now")).rows;
    const settled = async () => {
      const SETTLED = "select events_settled('0 seconds') > $1::timestamptz as past";
      return (await running.asOwner<{ past: boolean }>(SETTLED, [begun?.now]))[0]?.past;
    };
    await eventually(async () => expect(await settled()).toBe(true));
    await admin.query("select pg_current_xact_id()");
    expect(await settled()).toBe(false);
    await admin.query("commit");
    await eventually(async () => expect(await settled()).toBe(true));
  } finally {
    await admin.end();
  }
});
