// Every operation that is served: one import line a file.
import { collect } from "./kit.ts";
import * as projects from "./projects/projects.ts";
import * as statuses from "./projects/statuses.ts";
import * as tasks from "./tasks/tasks.ts";

export const operations = collect(projects, statuses, tasks);
