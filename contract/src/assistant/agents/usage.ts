// Usage of an Agent's runs per day.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Day, Id, object } from "../../types.ts";

export const MOST_USAGE_DAYS = 366;
const count = Type.Integer({ minimum: 0 });
const used = {
  runs: { ...count, description: "That began on it." },
  input_tokens: count,
  output_tokens: count,
  cost: Type.Number({
    minimum: 0,
    description:
      "Thousands of tokens, of which one that was written counts as four that were read, about as providers " +
      "price them.",
  }),
};

export const AgentUsage = object({
  definition_id: Id,
  from_date: Day,
  to_date: Day,
  days: Type.Array(object({ date: Day, ...used }), { maxItems: MOST_USAGE_DAYS, description: "Every day, of UTC." }),
  total: object(used),
});

export const getAgentUsage = op(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/usage",
  "Read what an Agent has used, by day",
  {
    description:
      "Of the Agent that there is of this definition and of those that there were. " +
      `Without dates the last 30 days; at most ${MOST_USAGE_DAYS}.`,
    auth: [S],
    query: object({
      from_date: Type.Optional({ ...Day, description: "Left out: 29 days before the last." }),
      to_date: Type.Optional({ ...Day, description: "Left out: today." }),
    }),
    returns: AgentUsage,
    errors: ["invalid_dates"],
  },
);
