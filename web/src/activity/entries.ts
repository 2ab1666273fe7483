// Entries of the activity, as the service returns them.
import type { Operations } from "@svc/client";

export type ActivityGroup = Awaited<ReturnType<Operations["listActivityGroups"]>>["items"][number];
export type Item = ActivityGroup["items"][number];
