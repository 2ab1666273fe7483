// The evidence that a ChangeSet pins: whether its initiator can read all of it now.
import type { Queries } from "../database/db.ts";
import { isAvailable } from "../native/evidence-store.ts";
import type { Pin } from "./rules.ts";

export const evidenceNow = (tx: Queries, pins: readonly Pin[]): Promise<(Pin & { available: boolean })[]> =>
  Promise.all(pins.map(async (pin) => ({ ...pin, available: await isAvailable(tx, pin.id, pin.version) })));
