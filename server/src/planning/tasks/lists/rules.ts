// Sort orders of Task lists.
import { onlyOne } from "../../../platform/wire/input/value-filter.ts";
import { refuseAt } from "../../../platform/wire/problem.ts";
import type { TaskFilters } from "./store.ts";

/**
 * Refuses orders that do not apply: positions are comparable only within one Status of one Project, and the trash has
 * its own order.
 */
export function requireOrder({ trashed, sort, project_id, status_id }: TaskFilters, at = "/query"): void {
  if (trashed && sort !== undefined)
    refuseAt(
      `${at}/sort`,
      "invalid_request",
      "the trash is listed by when it was thrown away: leave sort out",
      "not_allowed",
    );
  if (sort === "position" && (onlyOne(project_id) === undefined || onlyOne(status_id) === undefined))
    refuseAt(
      `${at}/sort`,
      "invalid_request",
      "position orders one Status of one Project: name one of each",
      "required",
    );
}
