// Finds clamd for the tests that use the real one: on PATH, or where Debian installs it. Nothing is downloaded.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The path, or null.
 * @param {Record<string, string | undefined>} env
 */
export const findClamd = ({ PATH = "" } = process.env) =>
  [...PATH.split(delimiter).map((folder) => join(folder, "clamd")), "/usr/sbin/clamd"].find((path) =>
    existsSync(path),
  ) ?? null;

export const HOW_TO_GET_CLAMD = "install it (Debian: apt-get install clamav-daemon)";
