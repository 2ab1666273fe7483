// The shells with completion for svc, and those installed on this machine: the test of a missing one is skipped, and
// npm test reports it.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export const SHELLS = ["bash", "zsh", "fish", "pwsh"];

export const shellsHere = (path = process.env.PATH ?? "") =>
  SHELLS.filter((name) => path.split(delimiter).some((folder) => existsSync(join(folder, name))));
