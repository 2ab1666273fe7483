// Every operation that is served: one import line a file.
import * as account from "./account/account.ts";
import * as apiTokens from "./account/api-tokens.ts";
import * as activity from "./activity/activity.ts";
import * as comments from "./comments/comments.ts";
import * as sessions from "./identity/sessions.ts";
import { collect } from "./kit.ts";
import * as projects from "./projects/projects.ts";
import * as statuses from "./projects/statuses.ts";
import * as tasks from "./tasks/tasks.ts";
import * as members from "./workspaces/members.ts";
import * as workspaces from "./workspaces/workspaces.ts";

export const operations = collect(
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
