// Dependencies of the pipeline, assembled once at start.
import type { AttemptLimits } from "../database/attempt-limits.ts";
import type { Database } from "../database/db.ts";
import type { Numbers } from "../database/numbers.ts";
import type { ExternalSystems } from "../outside/external-systems.ts";
import type { RunLimits } from "../settings/run-limits.ts";
import type { CursorSigner } from "../wire/cursor.ts";
import type { Tenants } from "../wire/limits/admission.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Implementation, Including } from "./implement-operation.ts";
import type { WriteLog } from "./ledger.ts";

/** Texts with an open collaboration session, in this process or another. */
export interface LiveTexts {
  /** Checkpoints the text, so that its readers can name the revision that they read. */
  seal(workspaceId: string, targetId: string): Promise<void>;
}

export interface Kernel {
  database: Database;
  /** null if RATE_LIMITS is off. */
  limits: AttemptLimits | null;
  tenants: Tenants;
  cursors: CursorSigner;
  secrets: SecretBox;
  outside: ExternalSystems;
  runLimits: RunLimits;
  including: Including;
  implementations: ReadonlyMap<string, Implementation>;
  numbers: Numbers;
  texts: LiveTexts;
  /** Called after every commit; must be cheap. */
  committed: (left: WriteLog) => void;
  /** Records the use of a credential; written in batches, because a read writes nothing. */
  touch: (credentialId: string) => void;
}
