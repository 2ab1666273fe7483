// Tasks: changing one, moving it through the workflow, and opening it in the browser.
import { openBrowser } from "../browser.ts";
import type { Run } from "../command.ts";
import { openSession, type Session } from "../credentials/session.ts";
import { usage } from "../failure.ts";
import { inRepository, switchTo, taskCode } from "../git.ts";
import { bodyOf, type Input } from "../input.ts";
import { safeLine } from "../output/screen.ts";
import { type TaskLine, taskOf, titleLine, undoLine } from "../output/task-shape.ts";
import { toolsOf } from "../tools.ts";
import { proposed } from "./changes.ts";
import { changesOf } from "./task.ts";

/** The revision from --revision, or the current one. */
const revisionOf = async (input: Input, { client }: Session, task_code: string) =>
  input.text("revision") ?? (await client.getCliTask({ task_code })).revision;

const told = (task: TaskLine, did: string, command: string | undefined) => ({
  data: { ...task, command },
  text: (screen: Input["screen"]) =>
    `${did} ${titleLine({ code: task.code, title: safeLine(task.title) }, screen)}${task.status ? `  ${screen.colour("dim", task.status)}` : ""}`,
  next: undoLine(command),
});

export const edit: Run = async (input) => {
  const session = openSession(input);
  const code = taskCode(input);
  const changes = {
    title: input.text("title"),
    description: bodyOf(input),
    priority: input.text("priority"),
    ...changesOf(input),
  };
  if (Object.values(changes).every((value) => value === undefined))
    throw usage("What is to be changed?", "Say it with flags, such as: svc task edit ENG-1 --priority high");
  const revision = await revisionOf(input, session, code);
  const { command, ...task } = await toolsOf(session)("update_task", { code, revision, ...changes });
  return {
    ...told(task as TaskLine, "Changed", command),
    data: { code: task.code, title: task.title, revision: task.revision, command },
  };
};

export const start: Run = async (input) => {
  const session = openSession(input);
  const task_code = taskCode(input);
  if (input.has("branch") && !inRepository(input))
    throw usage("There is no Git repository here to make a branch in.", "Go into one, or leave --branch out");
  const at = await revisionOf(input, session, task_code);
  const started = await session.client.startCliTask({ task_code }, { at });
  const branch = input.has("branch") ? switchTo(input, started.code, started.title) : undefined;
  const result = told(taskOf(started), "Started", session.client.commandOf(started));
  return {
    ...result,
    data: { ...result.data, reassigned: started.reassigned, ...(branch !== undefined && { branch }) },
    text: (screen) =>
      [
        result.text(screen),
        started.reassigned && screen.colour("yellow", "It was somebody else's before."),
        branch && `On branch ${branch}`,
      ]
        .filter(Boolean)
        .join("\n"),
  };
};

export const done: Run = async (input) => {
  const session = openSession(input);
  const task_code = taskCode(input);
  const [revision, status] = [await revisionOf(input, session, task_code), input.text("status")];
  if (status !== undefined) {
    const args = { code: task_code, revision, step: "finish", status };
    const { command, ...task } = await toolsOf(session)("advance_task", args);
    return { ...told(task as TaskLine, "Finished", command), data: { ...task, command } };
  }
  const finished = await session.client.completeCliTask({ task_code }, { at: revision });
  const task = taskOf(finished);
  const did = task.category === "completed" ? "Finished" : "Handed over";
  return told(task, did, session.client.commandOf(finished));
};

export const reopen: Run = async (input) => {
  const session = openSession(input);
  const task_code = taskCode(input);
  const at = await revisionOf(input, session, task_code);
  const reopened = await session.client.reopenCliTask({ task_code }, { at });
  return told(taskOf(reopened), "Reopened", session.client.commandOf(reopened));
};

/** Opens the page where a person moves the Task: a move changes its code, and may revoke somebody's access to it. */
export const move: Run = async (input) => {
  const session = openSession(input);
  const code = taskCode(input);
  const project = input.needed("project").toUpperCase();
  const revision = await revisionOf(input, session, code);
  return proposed(session, input, {
    title: `Move ${code} to ${project}`,
    changes: [{ action: "move", code, revision, project }],
  });
};

export const open: Run = async (input) => {
  const session = openSession(input);
  const code = taskCode(input);
  // Reads the current code first, and fails with "not found" if the Task does not exist.
  const [{ slug }, task] = await Promise.all([session.workspace(), session.client.getCliTask({ task_code: code })]);
  const url = `${session.url}/workspaces/${slug}/tasks/${task.code}`;
  const opened = input.screen.interactive || input.env.BROWSER ? await openBrowser(url, input) : false;
  return { data: { code: task.code, url, opened }, text: () => url };
};
