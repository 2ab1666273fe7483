// Compiled code is kept between starts of the service: without it the compiler itself stays in memory, 20 MB of what an idle service
// holds, and each start takes 0.8 s of a core more. A process that is killed keeps nothing, so the first one here only loads and ends.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { serviceFlags } from "./node-program.mjs";

/** What a process of the service gets in its environment. */
export function compiled(node = process.execPath, program = "server/src/main.ts") {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(root, "node_modules", ".cache", "svc-code");
  const env = { ...process.env, NODE_COMPILE_CACHE };
  // Everything is loaded before the configuration is read, which is then refused.
  if (existsSync(NODE_COMPILE_CACHE)) return { NODE_COMPILE_CACHE };
  console.log("Preparing the program ...");
  const loading = { cwd: root, env: { ...env, ROLES: "none, only load" }, stdio: "ignore" };
  // What is compiled with other flags is not used.
  spawnSync(node, [...serviceFlags, program], loading);
  return { NODE_COMPILE_CACHE };
}
