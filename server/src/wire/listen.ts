// Opens the address that HOST names. localhost is two addresses on most machines, which share one HTTP server: what it refuses, how long it
// waits and how it closes is then the same on both.
import { lookup } from "node:dns/promises";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Connections that wait to be accepted. Where there are more, the system drops what they send, and it is sent again after 200 ms at the earliest: Node's 511 were
 * not enough for a crowd that comes at once. The system may allow fewer.
 */
const BACKLOG = 4096;

const addressesOf = async (host: string) =>
  host === "localhost" ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];

/** The port, which is chosen by the system where it is 0. */
export async function listen(
  app: FastifyInstance,
  { port, host }: { port: number; host: string },
  resolve = addressesOf,
): Promise<number> {
  const [first = host, ...others] = new Set(await resolve(host));
  const doors = others.map((address) => {
    const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit("connection", socket),
    );
    return { address, door };
  });
  app.addHook("preClose", async () => {
    for (const { door } of doors) door.close();
  });
  await app.listen({ port, host: first, backlog: BACKLOG });
  const { port: taken } = app.server.address() as AddressInfo;
  // A machine may name an address that it does not have.
  for (const { address, door } of doors)
    await new Promise<void>((done) => door.once("error", () => done()).listen(taken, address, BACKLOG, done));
  return taken;
}
