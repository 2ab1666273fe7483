// Time tracking policy of a Workspace: whether it is enabled, and the rounding. Changes do not affect earlier entries.
import * as contract from "@svc/contract/planning/time/tracking.ts";
import { policyOf } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { decide, policySelect } from "../../accounts/workspaces/store.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { timeTrackingUpdated } from "./events.ts";

const SELECT = policySelect(contract.TimeTracking, "time_tracking_policies", {
  enabled: "coalesce(s.enabled, true)",
  rounding_mode: "coalesce(s.rounding_mode, 'exact')",
});
const capability = "time:manage";

export const getTimeTracking = implement(
  contract.getTimeTracking,
  policyOf("time:read", SELECT),
  async ({ member }, { target }) => render(target, managing(member.role, capability)),
);

export const updateTimeTracking = implement(
  contract.updateTimeTracking,
  policyOf(capability, SELECT),
  async ({ tx, member, record }, { target, body }) => {
    const { row, changed } = await decide(tx, "time_tracking_policies", target, body, SELECT);
    if (changed.length === 0) return render(row, managing(member.role, capability));
    const { enabled, rounding_mode } = JSON.parse(target.json);
    record(
      timeTrackingUpdated(
        { kind: "workspace", id: member.workspaceId },
        { from: { enabled, rounding_mode }, to: body },
      ),
    );
    return render(row, managing(member.role, capability));
  },
);
