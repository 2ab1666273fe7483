// A PgBouncer in front of the PostgreSQL of the tests, with settings of its own.
import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProxy } from "../../scripts/proxies.mjs";
import { freePort } from "../src/platform/database/embedded/address.ts";
import { eventually } from "./eventually.ts";

/** Runs with the address of the same database behind it, and ends it. */
export async function behindPgbouncer<T>(
  url: string,
  settings: Record<string, string>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "svc-pgbouncer-"));
  const port = await freePort();
  const { username, pathname, hostname, port: at, searchParams } = new URL(url);
  const name = pathname.slice(1);
  const host = searchParams.get("host") ?? hostname;
  const own = { listen_addr: "127.0.0.1", listen_port: `${port}`, auth_type: "any", unix_socket_dir: "", ...settings };
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
${name} = host=${host} port=${at || 5432} dbname=${name} user=${username}
[pgbouncer]
default_pool_size = 60
${Object.entries(own)
  .map(([key, value]) => `${key} = ${value}`)
  .join("\n")}
`,
  );
  // It refuses to run as root, and the socket of the cluster is private to the user who runs it.
  const { uid, gid } = statSync(host);
  chownSync(directory, uid, gid);
  const child = spawn(findProxy("pgbouncer") ?? "", [file], {
    stdio: "ignore",
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1", () => resolve(void socket.destroy()));
          socket.once("error", reject);
        }),
    );
    return await work(`postgresql://${username}@127.0.0.1:${port}/${name}`);
  } finally {
    child.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}
