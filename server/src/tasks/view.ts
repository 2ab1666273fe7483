// Tasks on the wire. The query gives the Task as t and its Project as p.
import { TaskRow } from "@svc/contract/tasks/tasks.ts";
import { view } from "../kernel/view.ts";

export const taskView = view(TaskRow, "t", { code: "p.key || '-' || t.number" });
