// Which Node runs the service and the tests.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/**
 * For the collector of garbage in the service. It marks on one thread beside ours in place of four, which keep requests waiting for 100 ms where there are two cores. And it begins when
 * the heap has doubled: left to itself it begins at a tenth more, every two seconds under load, because what its threads take from others does not count for it.
 */
export const serviceFlags = ["--concurrent-marking-max-worker-num=1", "--heap-growing-percent=100"];

/** The Node that the packages bring, so that the program runs on one version everywhere; where npm has none, the user's own. */
export function nodeProgram() {
  const { program, fault } = chooseNode(broughtNode(), process);
  if (program) return program;
  console.error(fault);
  process.exit(1);
}

export function chooseNode(brought, { versions, platform, arch, execPath }) {
  if (brought) return { program: brought };
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return { program: execPath };
  const fault = `Node ${versions.node} is too old, and npm has no newer one for ${platform} ${arch}; install Node 24 (22.18 at least) from nodejs.org and start again`;
  return { fault };
}

/** The program itself and not the script that npm puts in front of it: a signal or a channel would end at that script. */
function broughtNode() {
  const { platform, arch } = process;
  const folder = join(root, "node_modules", `node-${platform === "win32" ? "win" : platform}-${arch}`, "bin");
  const program = join(folder, platform === "win32" ? "node.exe" : "node");
  return existsSync(program) ? program : null;
}
