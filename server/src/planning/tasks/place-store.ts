// Order within a column: the Tasks of a Project in one Status (platform/database/order.ts).
import { ordering } from "../../platform/database/order.ts";

export const { firstPlace, placeBeside } = ordering({
  table: "tasks",
  columns: ["project_id", "status_id"],
  where: "t.trashed_at is null",
});
