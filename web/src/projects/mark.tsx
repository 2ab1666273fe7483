// Icon of a Project, or a square in its colour.
import type { Project } from "../store/rows.ts";
import { colourOf } from "../ui/colour.ts";

export function ProjectMark({ project: { icon, color } }: { project: Pick<Project, "icon" | "color"> }) {
  if (icon)
    return (
      <span aria-hidden="true" className="w-4 shrink-0 overflow-hidden text-center text-13 leading-4">
        {icon}
      </span>
    );
  return (
    <span aria-hidden="true" style={{ background: colourOf(color) }} className="mx-0.5 size-3 shrink-0 rounded-sm" />
  );
}
