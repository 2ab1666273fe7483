// Background jobs of webhooks: read the journal, send, notify of disabled endpoints and prune.
import type { Background } from "../../platform/background/jobs.ts";
import { followEvents } from "./enqueue-events.ts";
import { type NoticePayload, tellDisabled } from "./notice.ts";
import { sweepWebhooks } from "./queue-store.ts";
import { openSender, type SenderDependencies } from "./sender.ts";

export function openWebhooks(kit: SenderDependencies): { background: Background; close(): Promise<void> } {
  const { look, close } = openSender({ ...kit, timers: true });
  return {
    background: {
      follows: ({ database }) => ({
        follow_webhooks: {
          gatherMs: 50,
          async run(named) {
            const held = await followEvents(database, named);
            await look();
            return held;
          },
        },
      }),
      resume: async ({ database }) => {
        await look();
        await followEvents(database);
        await look();
      },
      schedule: "17 * * * * sweep_webhooks",
      jobs: ({ database, outside }) => ({
        webhooks: look,
        webhook_notice: (payload) => tellDisabled(database, outside, payload as NoticePayload),
        sweep_webhooks: (_payload, { withPgClient }) => withPgClient(sweepWebhooks),
      }),
    },
    close,
  };
}
