// What processes tell each other: heard by all of them in order, and known not to be heard where it is not.
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testDatabase } from "../../../test/database.ts";
import { until } from "../../../test/editing.ts";
import { FaultyNetwork } from "../../../test/faulty-network.ts";
import { type Channel, openChannel } from "./channel.ts";
import { reachabilityOf } from "./connections/client.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
const open: Channel[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await Promise.all(open.map((channel) => channel.close()));
  await database.drop();
});

function listening(url: string) {
  const heard: unknown[] = [];
  const told = { heard, up: 0, down: 0, joined: 0, left: 0 };
  const channel = openChannel(url, "testing", {
    heard: (message) => heard.push(message),
    left: () => told.left++,
    joined: () => told.joined++,
    up: () => told.up++,
    down: () => told.down++,
  });
  open.push(channel);
  return { told, channel };
}

test("two hear each other, in order, and neither hears itself", async () => {
  const [one, other] = [listening(database.url), listening(database.url)];
  await until("they know each other", () => [one, other].every(({ told }) => told.joined === 1 && told.up === 1));
  for (let number = 0; number < 50; number++) one.channel.say({ number });
  await until("all is heard", () => other.told.heard.length === 50);
  expect(other.told.heard).toEqual(Array.from({ length: 50 }, (_, number) => ({ number })));
  expect(one.told.heard).toEqual([]);
});

test("who can say and hears nothing, as behind a pooler, is not up", async () => {
  const counts = new Map<string, number>();
  const client = new pg.Client(database.url);
  await client.connect();
  client.on("notification", ({ payload = "" }) => {
    const { from } = JSON.parse(payload);
    counts.set(from, (counts.get(from) ?? 0) + 1);
  });
  await client.query("listen testing");
  const { url, server } = await withoutNotifications(database.url);
  const { told } = listening(url);
  const { told: right } = listening(database.url);
  await until("what it says is heard", () => right.joined >= 1 && right.up === 1);
  // A connection is notified of its own message before it can send the next one.
  const twice = () => [...counts.values()].filter((count) => count > 1);
  await until("all channels have said it twice", () => twice().length === open.length);
  expect([told.up, right.up]).toEqual([0, 1]);
  await client.end();
  server.close();
});

test("a channel that is closed during an attempt does not wait for the database when that fails", async () => {
  const network = await FaultyNetwork.to(database.url);
  network.beginOutage("accept and hang");
  const reach = reachabilityOf(network.url);
  const observing = vi.spyOn(reach, "observe");
  const attempted = new Promise((resolve) => {
    network.accepted = resolve;
  });
  const { channel } = listening(network.url);
  await attempted;
  await channel.close();
  await network.close();
  await until("the attempt has failed", () => !reach.isOpen());
  await new Promise(setImmediate);
  expect(observing).not.toHaveBeenCalled();
});

/** Passes everything but the notifications of PostgreSQL: messages with the letter A. */
async function withoutNotifications(databaseUrl: string): Promise<{ url: string; server: Server }> {
  const target = new URL(databaseUrl);
  const path = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const server = createServer((client) => {
    const behind = connect(path);
    let rest = Buffer.alloc(0);
    client.on("error", () => behind.destroy()).on("close", () => behind.destroy());
    behind.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.pipe(behind);
    behind.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const size = rest.readUInt32BE(1) + 1;
        if (rest[0] !== "A".charCodeAt(0)) client.write(rest.subarray(0, size));
        rest = rest.subarray(size);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  target.searchParams.delete("host");
  target.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url: target.href, server };
}
