// Background jobs of billing: settle a checkout after a delivery, and every hour those whose delivery may be lost.
import type { Background } from "../../platform/background/jobs.ts";
import { endCheckouts, settleCheckout } from "./settle-checkout.ts";
import { SWEEPS } from "./store.ts";

export const background: Background = {
  schedule: "5 * * * * settle_checkouts",
  jobs: ({ database, outside: { billing } }) => ({
    settle_checkout: async (payload) => {
      if (billing) await settleCheckout(database.writer, billing, (payload as { id: string }).id);
    },
    end_checkouts: async (payload) => {
      const { workspace_id } = payload as { workspace_id: string };
      if (billing) await endCheckouts(database.writer, billing, workspace_id);
    },
    settle_checkouts: async (_payload, { query }) => {
      if (billing) await query(SWEEPS.join(";"));
    },
  }),
};
