// Queues an action that nobody requested, once for each cause.
import { enqueue } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { newId } from "../../../platform/wire/ids.ts";
import type { SecretBox } from "../../../platform/wire/secret-box.ts";
import type { Telling } from "../client/provider.ts";
import { inputRow } from "./action-rules.ts";
import { addAction } from "./action-store.ts";
import type { NotifiedTask } from "./outbound-notification-store.ts";

export const pageOf = (origin: string, { slug, code }: Pick<NotifiedTask, "slug" | "code">) =>
  `${origin}/workspaces/${slug}/tasks/${code}`;

interface Saying {
  installationId: string;
  resourceId: string;
  cause: string;
  telling: Telling;
}
export async function say(
  tx: Queries,
  secrets: SecretBox,
  workspaceId: string,
  { installationId, resourceId, cause, telling: { action, input } }: Saying,
): Promise<void> {
  const id = newId();
  const sealedInput = secrets.seal(JSON.stringify(input), inputRow(id));
  const made = await addAction(tx, {
    id,
    installationId,
    resourceId,
    action,
    sealedInput,
    receiptId: null,
    requestedBy: null,
    cause,
  });
  if (made) await enqueue(tx, "perform_integration_action", { workspace_id: workspaceId, id });
}
