// Dependencies of assistant runs.
import type { Pool } from "../../../platform/database/db.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import type { LanguageModel, Storage } from "../../../platform/outside/external-systems.ts";
import type { RunLimits } from "../../../platform/settings/run-limits.ts";
import type { Log } from "../../../platform/wire/log.ts";
import type { SecretBox } from "../../../platform/wire/secret-box.ts";

export interface DiscussDependencies {
  writer: Pool;
  host: Host;
  model: LanguageModel | null;
  storage: Pick<Storage, "get">;
  runLimits: RunLimits;
  secrets: SecretBox;
  log: Log;
  /** Origin of this service, for addresses that a person opens. */
  origin(): string;
  /** Notifies subscribers of a change in this Workspace. */
  wake(workspaceId: string): void;
}
