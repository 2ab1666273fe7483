// Every implementation: one import line a file. The process refuses to start when an operation of the contract has none or two.
import { operations } from "@svc/contract/operations.ts";
import * as account from "./account/account.ts";
import * as apiTokens from "./account/api-tokens.ts";
import * as activity from "./activity/activity.ts";
import * as comments from "./comments/comments.ts";
import * as sessions from "./identity/sessions.ts";
import type { Implementation } from "./kernel/implement.ts";
import * as projects from "./projects/projects.ts";
import * as statuses from "./projects/statuses.ts";
import * as tasks from "./tasks/tasks.ts";
import * as members from "./workspaces/members.ts";
import * as workspaces from "./workspaces/workspaces.ts";

export const implementations = complete(
  sessions,
  account,
  apiTokens,
  workspaces,
  members,
  projects,
  statuses,
  tasks,
  comments,
  activity,
);

function complete(...modules: Record<string, unknown>[]): Implementation[] {
  const found = new Map<string, Implementation>();
  for (const value of modules.flatMap((module) => Object.values(module))) {
    if (!(value !== null && typeof value === "object" && "operation" in value)) continue;
    const implementation = value as Implementation;
    const { id } = implementation.operation;
    if (found.has(id)) throw new Error(`operation ${id} is implemented twice`);
    found.set(id, implementation);
  }
  const missing = [...operations.keys()].filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`operations without an implementation: ${missing.join(", ")}`);
  return [...found.values()];
}
