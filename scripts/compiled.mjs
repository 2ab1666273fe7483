// Caches compiled code between starts of the service: without the cache the compiler stays in memory, 20 MB of an idle
// service's memory, and each start takes 0.8 s more of a core. A killed process saves nothing, so the first process
// here only loads the code and exits.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { serviceFlags } from "./node-program.mjs";

/** Environment variables for a process of the service. */
export function compiled(node = process.execPath, program = "server/src/main.ts") {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(root, "node_modules", ".cache", "svc-code");
  const env = { ...process.env, NODE_COMPILE_CACHE };
  // The service loads all its code before it reads the configuration; the invalid ROLES then end it.
  if (existsSync(NODE_COMPILE_CACHE)) return { NODE_COMPILE_CACHE };
  console.log("Preparing the program ...");
  const loading = { cwd: root, env: { ...env, ROLES: "none, only load" }, stdio: "ignore" };
  // The cache is not used with other flags.
  spawnSync(node, [...serviceFlags, program], loading);
  return { NODE_COMPILE_CACHE };
}
