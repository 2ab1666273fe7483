// What the pipeline works with, assembled once at start.

import type { AttemptLimits } from "../database/attempt-limits.ts";
import type { Database } from "../database/db.ts";
import type { Numbers } from "../database/numbers.ts";
import type { Outside } from "../outside/outside.ts";
import type { RunLimits } from "../settings/run-limits.ts";
import type { Tenants } from "../wire/admission.ts";
import type { CursorSigner } from "../wire/cursor.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Implementation, Including } from "./implement.ts";
import type { Left } from "./ledger.ts";

/** Texts that somebody may be writing in, in this process or another. */
export interface Texts {
  /** Writes down what was written so far, so that whoever reads it can name what it read. */
  seal(workspaceId: string, targetId: string): Promise<void>;
}

export interface Kernel {
  database: Database;
  /** null where RATE_LIMITS is off. */
  limits: AttemptLimits | null;
  tenants: Tenants;
  cursors: CursorSigner;
  secrets: SecretBox;
  outside: Outside;
  runLimits: RunLimits;
  including: Including;
  /** By the name of the operation. */
  implementations: ReadonlyMap<string, Implementation>;
  numbers: Numbers;
  texts: Texts;
  /** Told of every commit, once it is done; it must cost nothing. */
  committed: (left: Left) => void;
  /** Notes that a credential was used; written in batches, because a read writes nothing. */
  touch: (credentialId: string) => void;
}
