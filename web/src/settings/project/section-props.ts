// Properties of every section of a Project's settings.
import type { Project } from "../../store/rows.ts";

/** Project with the member's permissions, as the service reports them. */
export interface SectionProps {
  project: Project;
  may: (what: "project:update" | "project:delete" | "project:restore" | "work:write" | "work:manage") => boolean;
}
