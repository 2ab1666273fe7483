// Exports Tasks as JSON Lines or CSV. It holds one page in memory at a time, and renames the file to its final name
// only once it is complete.
import { createWriteStream, renameSync, rmSync } from "node:fs";
import type { Client } from "@svc/client";
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import type { Input } from "../input.ts";
import { csvLine, SEPARATORS } from "../output/csv.ts";
import { progressOf } from "../output/progress.ts";
import { pathFrom } from "../runtime.ts";

type Page = Awaited<ReturnType<Client["listWorkspaceTasks"]>>;
type Row = Page["items"][number];
// biome-ignore lint/suspicious/noExplicitAny: what is brought along is found by id.
type Included = Record<string, Record<string, any> | undefined>;

const INCLUDE = "status,assignee,labels,project,milestone,parent,description";

/** A row with names and codes, in the format that `svc import` reads. */
function toldOf(row: Row, included: Included) {
  const status = included.statuses?.[row.status_id as string];
  const assignee = included.actors?.[row.assignee_actor_id as string];
  const labels = row.label_ids.map((id) => {
    const label = included.labels?.[id];
    const own = (label?.overrides ?? []).find((each: { project_id: string }) => each.project_id === row.project_id);
    return String(own?.name ?? label?.name ?? id);
  });
  return {
    code: row.code,
    project: included.projects?.[row.project_id]?.key ?? null,
    title: row.title,
    status: status?.name ?? null,
    category: status?.category ?? null,
    priority: row.priority,
    assignee: assignee?.username ?? assignee?.display_name ?? null,
    labels,
    milestone: included.milestones?.[row.milestone_id as string]?.code ?? null,
    parent: included.tasks?.[row.parent_id as string]?.code ?? null,
    start_date: row.start_date,
    due_date: row.due_date,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    updated_at: row.updated_at,
    revision: row.revision,
    description: row.description_markdown ?? "",
  };
}
type Told = ReturnType<typeof toldOf>;
const COLUMNS = Object.keys(toldOf({ label_ids: [] } as never, {})) as (keyof Told)[];

/** Joins names. A single name with a comma gets a trailing semicolon, so that `svc import` reads it as one. */
const joined = (names: readonly string[]) =>
  names.length === 1 && names[0]?.includes(",") ? `${names[0]};` : names.join("; ");

async function projectId(client: Client, workspace_id: string, key: string): Promise<string> {
  for (const archived of [false, true])
    for await (const project of client.listProjects({ workspace_id, order: "key", hidden: true, archived, limit: 100 }))
      if (project.key === key) return project.id;
  throw new Failure(
    EXIT.notFound,
    `There is no Project ${key}, or you cannot see it.`,
    "See which there are: svc project list",
  );
}

function sinceOf(input: Input): string | undefined {
  const given = input.text("updated-since");
  if (given === undefined) return undefined;
  const moment = new Date(given);
  if (Number.isNaN(moment.getTime())) throw usage(`${given} is no moment.`, "Write it so: --updated-since 2026-11-01");
  return moment.toISOString();
}

export const exportTasks: Run = async (input) => {
  const session = openSession(input);
  const { client } = session;
  const workspace_id = await session.workspaceId();
  const [key, file] = [input.text("project")?.toUpperCase(), input.text("output")];
  const format = input.text("format") ?? (file?.toLowerCase().endsWith(".csv") ? "csv" : "jsonl");
  const separator = SEPARATORS[input.text("separator") ?? "comma"];
  const since = sinceOf(input);
  const asked = {
    workspace_id,
    include: INCLUDE,
    sort: "created" as const,
    limit: 100,
    ...(key !== undefined && { project_id: await projectId(client, workspace_id, key) }),
    ...(input.list("category").length > 0 && { category: input.list("category").join(",") }),
    ...(since !== undefined && { updated_since: since }),
  };
  const lineOf = (task: Told) =>
    format === "csv"
      ? csvLine(
          COLUMNS.map((name) => (name === "labels" ? joined(task.labels) : (task[name] as string | null))),
          separator,
        )
      : `${JSON.stringify(task)}\n`;
  const target = file === undefined ? undefined : pathFrom(input, file);
  const part = target === undefined ? undefined : `${target}.part`;
  const out = part === undefined ? input.stdout : createWriteStream(part);
  const failed = new Promise<never>((_, reject) => out.on("error", reject));
  const write = (text: string) =>
    Promise.race([failed, new Promise<void>((resolve) => (out.write(text) ? resolve() : out.once("drain", resolve)))]);
  failed.catch(() => {});
  const progress = progressOf(input.stderr, null, "Tasks");
  let count = 0;
  try {
    if (format === "csv") await write(`${input.has("bom") ? "\ufeff" : ""}${csvLine(COLUMNS, separator)}`);
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Page = await client.listWorkspaceTasks({ ...asked, ...(cursor && { cursor }) } as never);
      const lines = page.items.map((row) => lineOf(toldOf(row, page.included as Included)));
      if (lines.length > 0) await write(lines.join(""));
      count += lines.length;
      progress.at(count, page.items.at(-1)?.code ?? "");
      cursor = page.next_cursor;
    }
    if (part !== undefined && target !== undefined) {
      await new Promise<void>(
        (resolve, reject) => void out.end((error?: Error | null) => (error ? reject(error) : resolve())),
      );
      renameSync(part, target);
    }
  } catch (error) {
    if (part !== undefined) rmSync(part, { force: true });
    throw (error as NodeJS.ErrnoException).syscall && file !== undefined
      ? new Failure(EXIT.failed, `${file} cannot be written: ${(error as Error).message}`)
      : error;
  } finally {
    progress.end();
  }
  if (file !== undefined && input.stderr.isTTY) input.stderr.write(`${count} Tasks are in ${file}.\n`);
  return undefined;
};
