// Opens the listening sockets for HOST. localhost is two addresses on most machines, which share one HTTP server, so
// that refusals, time-outs and closing are the same on both.
import { lookup } from "node:dns/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Connections waiting to be accepted. Above this number the system drops packets, which are sent again after 200 ms at
 * the earliest: Node's default of 511 was too small for a simultaneous crowd. The system may allow fewer.
 */
const BACKLOG = 4096;

const addressesOf = async (host: string) =>
  host === "localhost" ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];

/** Listens and resolves to the port; the system chooses one if it is 0. */
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
  for (let left = ATTEMPTS; ; left--) {
    const { port: taken } = app.server.address() as AddressInfo;
    const fault = await openAll(doors, taken);
    if (!fault) return taken;
    // Clients of localhost would otherwise reach another program there.
    if (port !== 0 || left === 1) throw fault;
    await new Promise((done) => app.server.close(done));
    await opened(app.server, 0, first);
  }
}

/**
 * Attempts with another port, because another program may use the system's choice at another address of the same name.
 */
const ATTEMPTS = 20;
interface Door {
  address: string;
  door: Server;
}
const opened = (door: Server, port: number, address: string) =>
  new Promise<NodeJS.ErrnoException | null>((done) => {
    door.once("error", done).listen(port, address, BACKLOG, () => {
      door.off("error", done);
      done(null);
    });
  });
/**
 * Opens all sockets or none; resolves to the error that prevents it. Ignores addresses that the machine names but does
 * not have.
 */
async function openAll(doors: readonly Door[], port: number): Promise<NodeJS.ErrnoException | null> {
  for (const { address, door } of doors) {
    const fault = await opened(door, port, address);
    if (fault?.code !== "EADDRINUSE") continue;
    for (const each of doors) if (each.door.listening) await new Promise((done) => each.door.close(done));
    return fault;
  }
  return null;
}
