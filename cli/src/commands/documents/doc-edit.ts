// Edits a Document: opens its Markdown in the editor, submits the change as a patch in a ChangeSet, and opens the page
// for its approval. Concurrent changes are merged; if both sides changed the same blocks, a file receives both texts.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Result, Run } from "../../command.ts";
import { openSession } from "../../credentials/session.ts";
import { EXIT, Failure, failureOf, usage } from "../../failure.ts";
import { bodyOf, type Input, withoutReturns } from "../../input.ts";
import { blocksOf, joined, merged } from "../../merge.ts";
import { toolsOf } from "../../tools.ts";
import { proposed } from "../changes.ts";
import { markdownOf, type Said } from "./doc.ts";

/** Opens the editor on a file with the text, and resolves to the file's content when the editor ends. */
async function edited(input: Input, { markdown }: Said, file: string): Promise<string> {
  const { env, cwd, screen } = input;
  const named = env.VISUAL || env.EDITOR;
  if (!named && !screen.interactive)
    throw usage(
      "There is no terminal to edit in.",
      "Bring the text: svc doc edit PATH --body-file FILE, or set EDITOR",
    );
  const [program = "", ...args] = (named || (process.platform === "win32" ? "notepad" : "vi")).split(" ");
  writeFileSync(file, markdown === "" ? "" : `${markdown}\n`, { mode: 0o600 });
  const options = { env, cwd, stdio: "inherit", shell: process.platform === "win32" } as const;
  const ended = await new Promise<string | undefined>((resolve) => {
    spawn(program, [...args, file], options)
      .on("error", () => resolve("cannot be started"))
      .on("close", (status) => resolve(status === 0 ? undefined : `ended with ${status}`));
  });
  if (ended !== undefined) throw new Failure(EXIT.failed, `The editor ${program} ${ended}; nothing was changed.`);
  return withoutReturns(readFileSync(file, "utf8")).replace(/\n+$/, "");
}

const MARKS = /^(?:<{7} yours|>{7} theirs)$/m;

export const edit: Run = async (input) => {
  const session = openSession(input);
  const use = toolsOf(session);
  const before = await markdownOf(use, input.needed("path"));
  const folder = mkdtempSync(join(tmpdir(), "svc-"));
  const kept = join(folder, `${basename(before.path)}.md`);
  const given = bodyOf(input);
  if (given !== undefined && MARKS.test(given))
    throw usage(
      "Both texts are still in there, between marks.",
      "Put them together, take the marks out, and send it again",
    );
  let text: string | undefined;
  try {
    text = given ?? (await edited(input, before, kept));
    return await proposedText(text, before);
  } catch (error) {
    // Saves the edited text before failing.
    if (text === undefined || (error instanceof Failure && error.message.includes(kept))) throw error;
    writeFileSync(kept, `${text}\n`, { mode: 0o600 });
    const { exit, message, hint } = failureOf(error);
    const file = `Your text is in ${kept}. Send it again: svc doc edit ${before.path} --body-file ${kept}`;
    throw new Failure(exit, message, [hint, file].filter(Boolean).join("\n"));
  }

  async function proposedText(text: string, before: Said): Promise<Result> {
    const base = blocksOf(before.markdown);
    const mine = blocksOf(text);
    const nothing = (said: string): Result => {
      rmSync(folder, { recursive: true, force: true });
      return { data: { path: before.path, changed: false }, text: () => said };
    };
    if (joined(mine) === joined(base)) return nothing("Nothing was changed.");
    const now = await markdownOf(use, before.path);
    const theirs = now.content_revision === before.content_revision ? base : blocksOf(now.markdown);
    const { blocks, conflicts } = merged(base, mine, theirs);
    if (conflicts > 0) {
      writeFileSync(kept, `${joined(blocks)}\n`, { mode: 0o600 });
      throw new Failure(
        EXIT.conflict,
        `Somebody has changed the same in ${now.path} meanwhile. Both texts are in ${kept}.`,
        `Put them together there, and send it: svc doc edit ${now.path} --body-file ${kept}`,
      );
    }
    const markdown = joined(blocks);
    if (markdown === joined(theirs)) return nothing("It says that already.");
    const patch = await use("patch_document", { path: now.path, revision: now.content_revision, markdown });
    const title = input.text("title") ?? `Edit ${now.title}`.slice(0, 200);
    const change = { action: "patch", patch: patch.patch, patch_version: patch.version };
    const result = await proposed(session, input, { title, changes: [change] });
    rmSync(folder, { recursive: true, force: true });
    return { ...result, data: { path: now.path, changed: true, diff: patch.diff, ...result.data } };
  }
};
