// What runs are carried out with.
import type { Pool } from "../../platform/database/db.ts";
import type { Host } from "../../platform/kernel/http.ts";
import type { Model, Storage } from "../../platform/outside/outside.ts";
import type { RunLimits } from "../../platform/settings/run-limits.ts";
import type { Log } from "../../platform/wire/log.ts";
import type { SecretBox } from "../../platform/wire/secret-box.ts";

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
