// What the pipeline works with, assembled once at start.
import type { Tenants } from "./admission.ts";
import type { CursorSigner } from "./cursor.ts";
import type { Database } from "./db.ts";
import type { Outside } from "./outside.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { SecretBox } from "./secret-box.ts";

export interface Kernel {
  database: Database;
  /** null where RATE_LIMITS is off. */
  limits: RateLimiter | null;
  tenants: Tenants;
  cursors: CursorSigner;
  secrets: SecretBox;
  outside: Outside;
  /** Notes that a credential was used; written in batches, because a read writes nothing. */
  touch: (credentialId: string) => void;
}
