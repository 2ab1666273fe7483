// Projects and Statuses on the wire.
import { ProjectRow } from "@svc/contract/projects/projects.ts";
import { StatusRow } from "@svc/contract/projects/statuses.ts";
import { view } from "../kernel/view.ts";

export const projectView = view(ProjectRow, "p");
export const statusView = view(StatusRow, "s", { lifecycle: "null" });
