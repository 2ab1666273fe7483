// Comments on a Task.
import { newKey } from "@svc/client";
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { usage } from "../failure.ts";
import { codeIn, taskCode } from "../git.ts";
import { bodyOf, type Input, isPiped, textFrom, withoutReturns } from "../input.ts";
import { undoLine } from "../output/task-shape.ts";

function textOf(input: Input, words: readonly string[]): string {
  const body = bodyOf(input);
  if (body !== undefined && words.length > 0) throw usage("Give the text once: as arguments, --body or --body-file");
  const text =
    body ??
    (words.length > 0
      ? withoutReturns(words.join(" "))
      : isPiped(input)
        ? textFrom(input, "-").replace(/\n+$/, "")
        : "");
  if (text.trim() === "")
    throw usage("There is nothing to say.", 'Say it so: svc comment ENG-1 "The brass arrives tomorrow"');
  return text;
}

export const comment: Run = async (input) => {
  const { client } = openSession(input);
  const [first, ...rest] = input.list("text");
  // Without a code, all arguments are the text, and the Git branch determines the Task.
  const named = first !== undefined && codeIn(first) === first.toUpperCase();
  const task_code = named ? first.toUpperCase() : taskCode(input);
  const markdown = textOf(input, named ? rest : input.list("text"));
  const said = await client.createCliTaskComment({ task_code, markdown }, { key: input.text("key") ?? newKey() });
  const command = client.commandOf(said);
  return {
    data: { code: task_code, markdown: said.markdown, created_at: said.created_at, command },
    text: () => `Commented on ${task_code}.`,
    next: undoLine(command),
  };
};
