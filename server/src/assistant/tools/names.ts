// Resolves names and codes to the ids that operations take. Each is looked up by the operation that lists such things,
// under the caller's rights; if there is none of that name, the refusal lists the existing ones.
import { Refusal } from "../../platform/wire/problem.ts";
import type { OperationCaller } from "./operation-calls.ts";

/** Operations that look up these names. */
export const looksUp = [
  "findProjectByKey",
  "getTaskByCode",
  "listProjectStatuses",
  "listProjectLabels",
  "listWorkspaceLabels",
  "getMilestoneByCode",
  "resolveMembers",
];

const MOST_TOLD = 30;
export function unnamed(argument: string, detail: string): never {
  throw new Refusal("invalid_request", { errors: [{ pointer: `/body/${argument}`, code: "not_allowed", detail }] });
}
const oneOf = (argument: string, names: readonly string[]): never =>
  unnamed(
    argument,
    names.length === 0
      ? "names nothing that there is"
      : `must be one of: ${names.slice(0, MOST_TOLD).join(", ")}${names.length > MOST_TOLD ? " and others" : ""}`,
  );
const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

interface Named {
  id: string;
  name: string;
}
const MOST_PAGES = 10;
async function every(call: OperationCaller, operation: string, params: Record<string, string>): Promise<Named[]> {
  const found: Named[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { body } = await call(operation, { params, query: { limit: 100, cursor } });
    found.push(...body.items);
    if (!body.has_more) break;
    cursor = body.next_cursor;
  }
  return found;
}

export const projectId = async (call: OperationCaller, key: string): Promise<string> =>
  (await call("findProjectByKey", { params: { project_code: key } })).body.id;

export interface NamedTask {
  id: string;
  code: string;
  project_id: string;
}
export const taskNamed = async (call: OperationCaller, code: string): Promise<NamedTask> =>
  (await call("getTaskByCode", { params: { task_code: code } })).body;

export async function statusId(call: OperationCaller, project: string, name: string): Promise<string> {
  const statuses = await every(call, "listProjectStatuses", { project_id: project });
  const found = statuses.find((status) => same(status.name, name));
  return (
    found?.id ??
    oneOf(
      "status",
      statuses.map((status) => status.name),
    )
  );
}

/** Labels of a Project, as it lists them, or of the Workspace alone. */
export async function labelIds(
  call: OperationCaller,
  project: string | null,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const labels =
    project === null
      ? await every(call, "listWorkspaceLabels", {})
      : await every(call, "listProjectLabels", { project_id: project });
  return names.map(
    (name) =>
      labels.find((label) => same(label.name, name))?.id ??
      oneOf(
        "labels",
        labels.map((label) => label.name),
      ),
  );
}

export const milestoneId = async (call: OperationCaller, project: string, code: string): Promise<string> =>
  (await call("getMilestoneByCode", { params: { project_id: project, milestone_code: code } })).body.id;

interface Person {
  actor_id: string;
  username: string;
  display_name: string;
}
/** Resolves a person by username, or by a name that is unique. */
export async function actorId(
  call: OperationCaller,
  self: () => Promise<{ actor_id: string }>,
  name: string,
): Promise<string> {
  if (same(name, "me")) return (await self()).actor_id;
  const { items } = (await call("resolveMembers", { query: { q: name } })).body as { items: Person[] };
  const exact = items.find(({ username }) => same(username, name.replace(/^@/, "")));
  const [only, ...others] = items;
  if (exact) return exact.actor_id;
  if (only && others.length === 0) return only.actor_id;
  return oneOf(
    "assignee",
    items.map(({ username }) => username),
  );
}
