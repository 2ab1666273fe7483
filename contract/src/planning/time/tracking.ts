// Time tracking settings of a Workspace: whether people record time, and the rounding policy.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object, policy, single } from "../../types.ts";

export const roundingModes = ["exact", "ceil_15_minutes", "ceil_30_minutes"] as const;
export const RoundingMode = Type.Enum([...roundingModes]);

export const TimeTracking = object({
  ...policy,
  enabled: Type.Boolean({
    description: "false: no time can be recorded; existing entries can be read, corrected and voided.",
  }),
  rounding_mode: { ...RoundingMode, description: "Unit to which new entries are rounded up." },
});

export const getTimeTracking = op("GET /workspace/time-tracking", "Read the time tracking policy", {
  description:
    "Returns the policy of the session's Workspace. Until somebody changes it, time is tracked without " +
    "rounding, at revision 0.",
  auth: [S],
  baseline: true,
  returns: single(TimeTracking),
  errors: ["not_found"],
});

export const updateTimeTracking = op("PATCH /workspace/time-tracking", "Change the time tracking policy", {
  description:
    'Needs time:manage. If-Match is "0" if the policy has not been changed before. Entries keep the ' +
    "rounding mode of their recording.",
  auth: [S],
  ifMatch: "required",
  idempotencyKey: "required",
  body: object({ enabled: Type.Boolean(), rounding_mode: RoundingMode }),
  example: { enabled: true, rounding_mode: "ceil_15_minutes" },
  returns: single(TimeTracking),
  errors: ["not_found", "forbidden"],
});
