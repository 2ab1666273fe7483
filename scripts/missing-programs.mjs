// Programs without which some test files are skipped: a browser, clamd, git and the proxies. In continuous integration
// a variable per program makes its absence an error.
import { findChromium, HOW_TO_GET_ONE } from "./chromium.mjs";
import { findClamd, HOW_TO_GET_CLAMD } from "./clamd.mjs";
import { findGit, HOW_TO_GET_GIT } from "./git.mjs";
import { findProxy, HOW_TO_GET_PROXIES } from "./proxies.mjs";
import { SHELLS, shellsHere } from "./shells.mjs";

const PROXY = { variable: "PROXIES_REQUIRED", how: HOW_TO_GET_PROXIES };

/** The missing programs; `name` is also the part of the name of the test files that need it. */
export const missingPrograms = () =>
  [
    { variable: "BROWSER_REQUIRED", name: "browser", found: findChromium(), how: HOW_TO_GET_ONE },
    { variable: "CLAMD_REQUIRED", name: "clamd", found: findClamd(), how: HOW_TO_GET_CLAMD },
    { variable: "GIT_REQUIRED", name: "git", found: findGit(), how: HOW_TO_GET_GIT },
    ...["nginx", "caddy", "pgbouncer"].map((name) => ({ ...PROXY, name, found: findProxy(name) })),
  ].filter(({ found }) => !found);

/** Ends the process if a required program is missing. */
export function requirePrograms() {
  for (const { variable, name, how } of missingPrograms()) {
    if (!process.env[variable]) continue;
    console.error(`${variable} is set and there is no ${name}: ${how}`);
    process.exit(1);
  }
}

export function printLeftOut() {
  for (const { name, how } of missingPrograms())
    console.log(`\n=== LEFT OUT for want of ${name}: every *.${name}.test.ts; ${how}`);
  const shells = SHELLS.filter((name) => !shellsHere().includes(name));
  if (shells.length > 0)
    console.log(`\n=== LEFT OUT for want of ${shells.join(", ")}: completion of svc in these shells; install them`);
}
