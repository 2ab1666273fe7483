// The shells that svc is completed in, and those that this machine has: a test of one that is missing is left out, and npm test says so.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export const SHELLS = ["bash", "zsh", "fish", "pwsh"];

export const shellsHere = (path = process.env.PATH ?? "") =>
  SHELLS.filter((name) => path.split(delimiter).some((folder) => existsSync(join(folder, name))));
