// How a command stands in its chain: the root, what undid it, what redid it, and so on. Pure.
import type { ErrorCode } from "@svc/contract/errors.ts";

export interface Link {
  id: string;
  step: number;
}
export interface Chained {
  id: string;
  step: number;
  /** The last two of the chain behind the root, the last one first. */
  links: readonly Link[];
}

/** The end of the chain: the one whose effects are those that hold. */
export const lastOf = ({ id, step, links }: Chained): Link => links[0] ?? { id, step };
/** Each step takes back the one before it. */
export const isUndone = (command: Chained) => (lastOf(command).step - command.step) % 2 === 1;

/** The latest that took it back, and the latest that made it again after that. */
export function traces(command: Chained): { undone_by: string | null; redone_by: string | null } {
  const later = command.links.filter(({ step }) => step > command.step);
  const [last = null, before = null] = later.map(({ id }) => id);
  return isUndone(command) ? { undone_by: last, redone_by: null } : { undone_by: before, redone_by: last };
}

export type Way = "undo" | "redo";
/** With what the way is refused for the state of the command alone; null where it is not. */
export function stateRefusal(way: Way, command: Chained): Extract<ErrorCode, "already_undone" | "not_undone"> | null {
  if (way === "undo") return isUndone(command) ? "already_undone" : null;
  return isUndone(command) ? null : "not_undone";
}
