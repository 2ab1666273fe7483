// Who the person is in this Workspace, and what concerns them alone; a fact of the store, which the shell keeps fresh.
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
/** The day on which their week begins: 0 is Sunday. */
export const weekStartOf = (home: Pick<Home, "week_start"> | undefined) =>
  Math.max(
    0,
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].indexOf(
      home?.week_start ?? "monday",
    ),
  );
export const useHome = () => useFact<Home>("home");
/** A viewer writes nothing; until it is known who it is, everything is offered and the service decides. */
export const useMayWrite = () => useHome()?.role !== "viewer";
