// Connections that die under those who use them.
import pg from "pg";
import { expect, test } from "vitest";
import { service } from "../../../test/world.ts";

const running = service({});

test("a connection that dies while somebody has it and asks nothing fails what is asked next, and ends nothing else", async () => {
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  try {
    const { writer } = running.database;
    const dying = writer.use(async (tx) => {
      const { pid } = await tx.one<{ pid: number }>("select pg_backend_pid() as pid");
      // Once the backend has ended, the next turns of the event loop bring its end to the pool.
      await admin.query("select pg_terminate_backend($1, 60000)", [pid]);
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      return tx.rows("select 1");
    });
    await expect(dying).rejects.toThrow();
    expect(await writer.use((tx) => tx.rows("select 1 as one"))).toEqual([{ one: 1 }]);
  } finally {
    await admin.end();
  }
});
