// Dependencies of Agent runs.
import type { Pool, Queries } from "../../../platform/database/db.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import type { LanguageModel } from "../../../platform/outside/external-systems.ts";
import type { RunLimits } from "../../../platform/settings/run-limits.ts";
import type { Log } from "../../../platform/wire/log.ts";
import type { SecretBox } from "../../../platform/wire/secret-box.ts";
import type { ClaimedAgentRun, Output } from "./run-store.ts";

export interface AgentDependencies {
  writer: Pool;
  host: Host;
  model: LanguageModel | null;
  secrets: SecretBox;
  log: Log;
  origin(): string;
  runLimits: RunLimits;
  wake(workspaceId: string): void;
  /** Delivers the result of a specialist to its requester, in the commit that ends the run. */
  deliver(
    tx: Queries,
    run: ClaimedAgentRun,
    result: { outputs: readonly Output[]; error: string | null },
  ): Promise<unknown>;
}
