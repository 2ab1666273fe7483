// Finds nginx and Caddy, for the tests of the configurations in operate/, and PgBouncer, for the tests of pooled
// connections: on PATH, or where Debian installs them. Nothing is downloaded.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The path, or null.
 * @param {"nginx" | "caddy" | "pgbouncer"} name
 * @param {Record<string, string | undefined>} env
 */
export const findProxy = (name, { PATH = "" } = process.env) =>
  [...PATH.split(delimiter), "/usr/sbin", "/usr/bin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null;

export const HOW_TO_GET_PROXIES = "install them (Debian: apt-get install nginx-light caddy pgbouncer)";
