// `svc help`; `svc help task list` is the same as `svc task list --help`.
import type { Command, Run } from "../../command.ts";
import { usage } from "../../failure.ts";
import { commandHelp, overview } from "../../help.ts";

/** `commands` is the table of all commands. */
export const helpOn =
  (commands: readonly Command[]): Run =>
  async ({ list, screen, stdout }) => {
    const asked = list("command").join(" ");
    const command = commands.find(({ name, alias }) => name === asked || alias === asked);
    const isGroup = commands.some(({ name }) => name.split(" ")[0] === asked);
    if (asked !== "" && !command && !isGroup) throw usage(`There is no command ${asked}.`, "See all of them: svc help");
    stdout.write(`${command ? commandHelp(command, screen) : overview(commands, screen, asked || undefined)}\n`);
    return undefined;
  };
