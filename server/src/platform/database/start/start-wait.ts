// Waits during a start for a database that is starting, restarting or failing over. Prints a line every five seconds,
// and gives up with one line. The work must be safe to repeat; a permanent fault ends it at once.
import { ConfigError, UnreachableError } from "../../settings/config-error.ts";
import { parseDatabaseUrl } from "../../settings/database-address.ts";
import { backoff } from "../connections/reachability.ts";
import { isUnavailable } from "../translate-error.ts";

const LINE_MS = 5000;

export interface Patience {
  seconds: number;
  say(line: string): void;
}
type Fault = Error & { code?: string };

/** Host names may appear in the DNS later than this process starts. */
const LATE = new Set(["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"]);
export const mayPass = (error: unknown): boolean => {
  const { code = "", message = "" } = error as Fault;
  if (error instanceof ConfigError) return false;
  return isUnavailable(error) || LATE.has(code) || /timeout/.test(message);
};
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
export const reasonOf = (error: unknown): string => (error as Fault).message || (error as Fault).code || String(error);

/**
 * `what` names the work in the lines: "Waiting for PostgreSQL". The work may print its own lines through its argument,
 * which replace those about the last fault.
 */
export async function patiently<T>(
  what: string,
  url: string,
  work: (say: Patience["say"]) => Promise<T>,
  { seconds, say }: Patience,
): Promise<T> {
  const pauses = backoff(parseDatabaseUrl(url).servers.length);
  const began = performance.now();
  const waited = () => Math.round((performance.now() - began) / 1000);
  let fault: unknown = null;
  const lines = setInterval(() => {
    if (fault !== null) say(`${what} for ${waited()} s: ${reasonOf(fault)}`);
  }, LINE_MS);
  const sayWork = (line: string) => {
    fault = null;
    say(line);
  };
  try {
    for (;;) {
      const tried = performance.now();
      try {
        return await work(sayWork);
      } catch (error) {
        if (!mayPass(error)) throw error;
        fault = error;
        if (performance.now() - began >= seconds * 1000)
          throw new UnreachableError([
            `DATABASE_URL: cannot connect${seconds > 0 ? ` after ${waited()} s` : ""}: ${reasonOf(error)}; ` +
              "check the address and that PostgreSQL runs",
          ]);
      }
      await sleep(Math.max(0, pauses.next() - (performance.now() - tried)));
    }
  } finally {
    clearInterval(lines);
  }
}
