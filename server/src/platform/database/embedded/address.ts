// Address of the embedded PostgreSQL: a socket in a private directory or, if sockets are not reliable (Windows), a port
// of 127.0.0.1 with a password that was created with the cluster and is stored in it. The cluster decides: it has a
// password or it has none.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateDirectory } from "../../settings/directory.ts";
import { passwordOf, superuser } from "./cluster.ts";
import { ownerOfLock, postmasterLock } from "./locks.ts";

export interface PostgresAddress {
  /** Server settings with which PostgreSQL listens at this address. */
  settings(): Promise<Record<string, string>>;
  /** Lock file that survives a kill, as postmaster.pid does. */
  lock: string | null;
  /**
   * Call only once PostgreSQL listens. The URL stays the same from then on, because its users reconnect after a
   * restart.
   */
  url(database: string): string;
}

const socketName = ".s.PGSQL.5432";

// A socket address holds about 100 bytes; a DATA_DIR with a longer path uses a directory named after its hash in the
// temporary directory.
function socketPath(dataDir: string): string {
  const near = join(dataDir, "socket");
  const far = join(tmpdir(), `svc-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`);
  return Buffer.byteLength(join(near, socketName)) <= 100 ? near : far;
}

const socketUrl = (sockets: string, database: string) =>
  `postgresql://${superuser}@localhost/${database}?host=${encodeURIComponent(sockets)}`;
const portUrl = (port: number, password: string, database: string) =>
  `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`;

export function socketAddress(dataDir: string, ids: { uid: number; gid: number } | null): PostgresAddress {
  const sockets = socketPath(dataDir);
  privateDirectory(sockets, ids);
  return {
    settings: async () => ({
      listen_addresses: "",
      unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
      unix_socket_permissions: "0700",
    }),
    lock: join(sockets, `${socketName}.lock`),
    url: (database) => socketUrl(sockets, database),
  };
}

/**
 * Another program may take the port between its choice and its use, so each attempt chooses a new one until the URL was
 * handed out.
 */
export function portAddress(password: string, choose: () => Promise<number> = freePort): PostgresAddress {
  let port = 0;
  let isGivenOut = false;
  return {
    async settings() {
      if (!isGivenOut) port = await choose();
      return { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" };
    },
    lock: null,
    url(database) {
      isGivenOut = true;
      return portUrl(port, password, database);
    },
  };
}

export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** URL of the server that runs on this cluster; null if none runs. */
export function runningAddress(dataDir: string, cluster: string, database: string): string | null {
  const lock = postmasterLock(cluster);
  if (ownerOfLock(lock, cluster) === null) return null;
  const password = passwordOf(cluster);
  if (password === null) return socketUrl(socketPath(dataDir), database);
  // The fourth line of the lock file is the port; a file that is just being written has none yet.
  const port = Number(readFileSync(lock, "utf8").split("\n")[3]);
  return port > 0 ? portUrl(port, password, database) : null;
}
