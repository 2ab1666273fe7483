// Tasks on the wire. The query gives the Task as t, and the key of its Project as p.key or as a parameter where it is known already.
import { TaskRow } from "@svc/contract/tasks/tasks.ts";
import { view } from "../kernel/view.ts";

export const taskView = (projectKey = "p.key") => view(TaskRow, "t", { code: `${projectKey} || '-' || t.number` });
