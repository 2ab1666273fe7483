// Filters, sorting and extra fields that the Task lists of the Workspace and of a Project share.
import Type from "typebox";
import { Category, Day, Line, ListOrder, Moment, Priority, several } from "../../../types.ts";

export const TaskSort = Type.Enum(["updated", "created", "due", "priority", "title", "position"]);

/** Due dates relative to today. */
export const dueWords = ["overdue", "today", "week"] as const;

/** Filters of Tasks in a list and on a board. */
export const narrowing = {
  assignee_actor_id: Type.Optional(several({ none: true })),
  created_by_actor_id: Type.Optional(several()),
  milestone_id: Type.Optional(several({ none: true })),
  label_id: Type.Optional(several({ none: true, description: "Tasks with any of these labels." })),
  label_ids_all: Type.Optional(several({ all: true, description: "Tasks with all of these labels." })),
  priority: Type.Optional(several({ of: Priority.enum })),
  text: Type.Optional({ ...Line(200), minLength: 1, description: "Text that the title contains, regardless of case." }),
  due: Type.Optional(
    several({
      of: dueWords,
      none: true,
      description:
        "Relative due date, in the time zone of your account or UTC without one. overdue: due before " +
        "today, and neither completed nor cancelled; week: due today or within the six days after it.",
    }),
  ),
  due_after: Type.Optional(Day),
  due_before: Type.Optional(Day),
  start_after: Type.Optional(Day),
  start_before: Type.Optional(Day),
  created_after: Type.Optional(Moment),
  created_before: Type.Optional(Moment),
  updated_since: Type.Optional(Moment),
  updated_before: Type.Optional(Moment),
  completed_after: Type.Optional(Moment),
  completed_before: Type.Optional(Moment),
};
/** Filters of a list. A board has one column per Status, so it has no filter by Status. */
export const taskFilters = {
  status_id: Type.Optional(several()),
  category: Type.Optional(several({ of: Category.enum })),
  ...narrowing,
  trashed: Type.Optional(Type.Boolean()),
  sort: Type.Optional(TaskSort),
  order: Type.Optional(ListOrder),
};

export const howToFilter =
  "Filters can be combined. Each filter by ids or words takes several values: priority=low,high " +
  "finds either, priority=!low,high neither. For an optional field, none is a value too. Date ranges " +
  "include both days; time ranges include the start and exclude the end, so that ranges can follow " +
  "each other.";
/** Description of sorting, appended to the list of sort fields and the default. */
export const howToSort =
  "due is soonest first and lists only Tasks with a due date; priority is urgent first, and within " +
  "one priority newest change first; title is by code point, whatever the language, so that A to Z " +
  "comes before a to z; position is the manual order of the Tasks of a Status, as on a board, and " +
  "needs one Status. order reverses any of them. trashed=true lists the trash instead, latest first, " +
  "and takes no sort.";
export const howToGoOn =
  "A page scans for a limited time until it is full: complete is false if the scan stopped early, " +
  "and next_cursor continues from there.";

/** Extra field of a list that scans for its items. */
export const looking = {
  complete: Type.Boolean({
    description: "false: the scan stopped early, so the page has fewer items than it could. Continue with next_cursor.",
    examples: [true],
  }),
};
