// Finds the programs of the oldest supported PostgreSQL that Debian packages have installed.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const HOME = "/usr/lib/postgresql";
const OLDEST = 15;
export const HOW_TO_GET_POSTGRES = `install PostgreSQL ${OLDEST} or newer in ${HOME} (Debian: apt-get install postgresql)`;

export function findDebianPostgres() {
  const versions = (existsSync(HOME) ? readdirSync(HOME) : []).map(Number).filter((version) => version >= OLDEST);
  return versions.length === 0 ? null : join(HOME, `${Math.min(...versions)}`, "bin");
}
