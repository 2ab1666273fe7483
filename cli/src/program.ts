// Runs one command line of svc: finds the command, loads only its code, prints its result, and returns the exit code.
import type { Command } from "./command.ts";
import { commands } from "./command-table.ts";
import { EXIT, failureOf } from "./failure.ts";
import { inputOf } from "./input.ts";
import { safe, screenOf } from "./output/screen.ts";
import { parse } from "./parse-command.ts";
import type { Runtime } from "./runtime.ts";

declare const SVC_VERSION: string;
const version = typeof SVC_VERSION === "string" ? SVC_VERSION : "unbuilt";

/** Never throws: every failure becomes a message on standard error and an exit code. */
export const runSvc = (argv: readonly string[], runtime: Runtime): Promise<number> =>
  runCommand(argv, runtime).catch((error) => printFailure(error, argv, runtime));

async function runCommand(argv: readonly string[], runtime: Runtime): Promise<number> {
  const { stdout, stderr } = runtime;
  const print = (text: string) => void stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (argv[0] === "--version" || argv[0] === "-V") {
    print(`svc ${version}`);
    return 0;
  }
  if (argv[0] === "complete") {
    await (await import("./commands/shell/complete.ts")).complete(argv.slice(1), runtime);
    return 0;
  }
  const { command, group, values } = parse(argv);
  const screen = screenOf(runtime, "stdout", values["no-color"] === true);
  if (!command || values.help) {
    const { commandHelp, overview } = await import("./help.ts");
    print(command ? commandHelp(command, screen) : overview(commands, screen, group));
    return 0;
  }
  const input = inputOf(values, screen, runtime);
  const run: Awaited<ReturnType<Command["load"]>> = await command.load();
  const result = await run(input);
  if (!result) return 0;
  const { shown } = await import("./output/print-result.ts");
  const text = await shown(result, { json: input.text("json"), jq: input.text("jq") }, screen);
  if (text !== "") print(text);
  if (result.next !== undefined && stderr.isTTY) stderr.write(`${screen.colour("dim", result.next)}\n`);
  return result.exit ?? 0;
}

function printFailure(error: unknown, argv: readonly string[], runtime: Runtime): number {
  const { message, hint, exit } = failureOf(error);
  const { colour } = screenOf(runtime, "stderr", argv.includes("--no-color"));
  runtime.stderr.write(`${colour("red", "svc:")} ${safe(message)}\n${hint ? `${safe(hint)}\n` : ""}`);
  if (exit === EXIT.failed && runtime.env.SVC_DEBUG) runtime.stderr.write(`${inspected(error)}\n`);
  return exit;
}
const inspected = (error: unknown) => (error instanceof Error ? error.stack : String(error));
