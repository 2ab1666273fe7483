// The chain of a command: the root, the command that undid it, the one that redid it, and so on. Pure.
import type { ErrorCode } from "@svc/contract/errors.ts";

export interface Link {
  id: string;
  step: number;
}
export interface Chained {
  id: string;
  step: number;
  /** The last two commands of the chain after the root, newest first. */
  links: readonly Link[];
}

/** The end of the chain, whose effects are in force. */
export const lastOf = ({ id, step, links }: Chained): Link => links[0] ?? { id, step };
/** Each step reverts the previous one. */
export const isUndone = (command: Chained) => (lastOf(command).step - command.step) % 2 === 1;

/** The latest command that undid it, and the latest that redid it after that. */
export function traces(command: Chained): { undone_by: string | null; redone_by: string | null } {
  const later = command.links.filter(({ step }) => step > command.step);
  const [last = null, before = null] = later.map(({ id }) => id);
  return isUndone(command) ? { undone_by: last, redone_by: null } : { undone_by: before, redone_by: last };
}

export type Way = "undo" | "redo";
/** The error code that refuses undo or redo because of the command's state alone; null if neither applies. */
export function stateRefusal(way: Way, command: Chained): Extract<ErrorCode, "already_undone" | "not_undone"> | null {
  if (way === "undo") return isUndone(command) ? "already_undone" : null;
  return isUndone(command) ? null : "not_undone";
}
