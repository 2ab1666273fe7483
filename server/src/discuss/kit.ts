// What runs are carried out with.
import type { Pool } from "../database/db.ts";
import type { Host } from "../kernel/http.ts";
import type { Model, Storage } from "../outside/outside.ts";
import type { RunLimits } from "../settings/run-limits.ts";
import type { Log } from "../wire/log.ts";
import type { SecretBox } from "../wire/secret-box.ts";

export interface Kit {
  writer: Pool;
  host: Host;
  model: Model | null;
  storage: Pick<Storage, "get">;
  runLimits: RunLimits;
  secrets: SecretBox;
  log: Log;
  /** Of this service, for addresses that a person opens. */
  origin(): string;
  /** Tells whoever follows that something of this Workspace has changed. */
  wake(workspaceId: string): void;
}
