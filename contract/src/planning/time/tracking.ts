// Time tracking settings of a Workspace: whether people record time, and the rounding policy.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object, policy, single } from "../../types.ts";

export const roundingModes = ["exact", "ceil_15_minutes", "ceil_30_minutes"] as const;
export const RoundingMode = Type.Enum([...roundingModes]);

export const TimeTracking = object({
  ...policy,
  enabled: Type.Boolean({
    description: "false: nothing new is recorded; what was recorded is read, corrected and voided.",
  }),
  rounding_mode: { ...RoundingMode, description: "What is recorded from now on is rounded up to this." },
});

export const getTimeTracking = op("GET /workspace/time-tracking", "Read how time is tracked in this Workspace", {
  description: "Of the session's Workspace. Until somebody decides, time is tracked, and exactly, at revision 0.",
  auth: [S],
  baseline: true,
  returns: single(TimeTracking),
  errors: ["not_found"],
});

export const updateTimeTracking = op("PATCH /workspace/time-tracking", "Decide how time is tracked in this Workspace", {
  description:
    'Needs time:manage. If-Match is "0" where nothing was decided before. Entries keep the rounding that they ' +
    "were recorded with.",
  auth: [S],
  ifMatch: "required",
  idempotencyKey: "required",
  body: object({ enabled: Type.Boolean(), rounding_mode: RoundingMode }),
  example: { enabled: true, rounding_mode: "ceil_15_minutes" },
  returns: single(TimeTracking),
  errors: ["not_found", "forbidden"],
});
