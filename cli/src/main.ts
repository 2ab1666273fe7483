// The program `svc`: finds the command, loads what it needs and nothing else, shows its result, and ends with a code that scripts can go by.
import type { Command } from "./command.ts";
import { EXIT, failureOf } from "./failure.ts";
import { inputOf } from "./input.ts";
import { parse } from "./parse.ts";
import { safe, screenOf } from "./screen.ts";

declare const SVC_VERSION: string;
export const version = typeof SVC_VERSION === "string" ? SVC_VERSION : "unbuilt";

// Whoever reads our output may have had enough of it.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

const say = (text: string) => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);

async function main(argv: readonly string[]): Promise<number> {
  const env = process.env;
  if (argv[0] === "--version" || argv[0] === "-V") {
    say(`svc ${version}`);
    return 0;
  }
  if (argv[0] === "complete") {
    await (await import("./commands/complete.ts")).complete(argv.slice(1), env);
    return 0;
  }
  const { command, group, values } = parse(argv);
  const screen = screenOf(process.stdout, env, values["no-color"] === true);
  if (!command || values.help) {
    const { commandHelp, overview } = await import("./help.ts");
    say(command ? commandHelp(command, screen) : overview(screen, group));
    return 0;
  }
  const input = inputOf(values, screen, env);
  const run: Awaited<ReturnType<Command["load"]>> = await command.load();
  const result = await run(input);
  if (!result) return Number(process.exitCode ?? 0);
  const { shown } = await import("./output.ts");
  const text = await shown(result, { json: input.text("json"), jq: input.text("jq") }, screen);
  if (text !== "") say(text);
  if (result.next !== undefined && process.stderr.isTTY) process.stderr.write(`${screen.colour("dim", result.next)}\n`);
  return result.exit ?? 0;
}

function told(error: unknown): number {
  const { message, hint, exit } = failureOf(error);
  const { colour } = screenOf(process.stderr, process.env, process.argv.includes("--no-color"));
  process.stderr.write(`${colour("red", "svc:")} ${safe(message)}\n${hint ? `${safe(hint)}\n` : ""}`);
  if (exit === EXIT.failed && process.env.SVC_DEBUG) console.error(error);
  return exit;
}

// Not process.exit: what was written must get out first.
process.exitCode = await main(process.argv.slice(2)).catch(told);
