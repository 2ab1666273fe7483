// The member's own profile and counters in this Workspace: a fact of the store that the shell refreshes.
import { useFact } from "./react.ts";

export interface Home {
  display_name: string;
  timezone: string;
  locale: string;
  week_start: string;
  role: string;
  workspaces: { id: string; name: string; slug: string; has_icon?: boolean }[];
  unread: number;
}
/** First day of the week: 0 is Sunday. */
export const weekStartOf = (home: Pick<Home, "week_start"> | undefined) =>
  Math.max(
    0,
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].indexOf(
      home?.week_start ?? "monday",
    ),
  );
export const useHome = () => useFact<Home>("home");
/** False for viewers. Until the role is known, editing is offered and the service decides. */
export const useMayWrite = () => useHome()?.role !== "viewer";
