// The evidence that a ChangeSet pins: whether its initiator can read all of it now.
import type { Queries } from "../database/db.ts";
import type { Pin } from "./rules.ts";

export async function evidenceNow(_tx: Queries, pins: readonly Pin[]): Promise<(Pin & { available: boolean })[]> {
  return pins.map((pin) => ({ ...pin, available: false }));
}
