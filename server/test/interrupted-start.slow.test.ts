// A database that is lost in the middle of a start, at each connection that the start opens: the start waits for it and
// goes on, and nothing prints a stack trace.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLog } from "../src/platform/wire/log.ts";
import { serve } from "../src/server.ts";
import { exchange } from "./client.ts";
import { testDatabase } from "./database.ts";
import { FaultyNetwork } from "./faulty-network.ts";
import { testConfig } from "./world.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const OUTAGE_MS = 300;

test.for([1, 2, 3, 5, 8, 12])("after %i connections", async (count) => {
  const traced = vi.spyOn(console, "trace").mockImplementation(() => {});
  const network = await FaultyNetwork.to(database.url);
  let isCut = false;
  network.accepted = (total) => {
    if (total !== count) return;
    isCut = true;
    network.beginOutage("accept and close");
    // Wait: how long the outage lasts; the start waits for its end.
    setTimeout(() => network.heal(), OUTAGE_MS);
  };
  const running = await serve({ ...testConfig, dataDir: "/tmp", roles: ["api", "worker", "realtime"] }, network.url, {
    log: createLog("silent"),
  });
  const readyz = async () =>
    (await exchange("GET", `${running.url.replace("localhost", "127.0.0.1")}/readyz`, {})).status;
  await expect.poll(readyz).toBe(200);
  await running.close();
  await network.close();
  expect(isCut).toBe(true);
  expect(traced).not.toHaveBeenCalled();
  traced.mockRestore();
});
