// Selects the Node that runs the service and the tests.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/**
 * Flags for the service's garbage collector. It marks with one concurrent thread instead of four, which delay requests
 * by 100 ms on two cores. It starts when the heap has doubled: by default it starts at a tenth more, every two seconds
 * under load, because it does not count the processor time that its threads take from others.
 */
export const serviceFlags = ["--concurrent-marking-max-worker-num=1", "--heap-growing-percent=100"];

/**
 * The Node in the installed packages, so that the program runs on one version everywhere; the user's own if npm has
 * none for the platform.
 */
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
  const fault =
    `Node ${versions.node} is too old, and npm has no newer one for ${platform} ${arch}; ` +
    "install Node 24 (22.18 at least) from nodejs.org and start again";
  return { fault };
}

/** The program itself, not npm's script in front of it, which would not pass on signals or channels. */
function broughtNode() {
  const { platform, arch } = process;
  const folder = join(root, "node_modules", `node-${platform === "win32" ? "win" : platform}-${arch}`, "bin");
  const program = join(folder, platform === "win32" ? "node.exe" : "node");
  return existsSync(program) ? program : null;
}
