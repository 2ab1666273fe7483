// npm run format: formats the code, and applies the linter's fixes.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { install, root } from "./install.mjs";
import { nodeProgram } from "./node-program.mjs";

await install({ development: true });
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
const { status } = spawnSync(nodeProgram(), [biome, "check", "--write", "."], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
