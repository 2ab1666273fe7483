// Usage of an Agent's runs per day.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Day, Id, object } from "../../types.ts";

export const MOST_USAGE_DAYS = 366;
const count = Type.Integer({ minimum: 0 });
const used = {
  runs: { ...count, description: "Number of runs that started on this day." },
  input_tokens: count,
  output_tokens: count,
  cost: Type.Number({
    minimum: 0,
    description:
      "Cost in thousands of tokens, where one output token counts as four input tokens, about as " +
      "providers price them.",
  }),
};

export const AgentUsage = object({
  definition_id: Id,
  from_date: Day,
  to_date: Day,
  days: Type.Array(object({ date: Day, ...used }), { maxItems: MOST_USAGE_DAYS, description: "Every day (UTC)." }),
  total: object(used),
});

export const getAgentUsage = op(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/usage",
  "Read the daily usage of an Agent",
  {
    description:
      "Covers the current and former Agents of this definition. Without dates it returns the last 30 " +
      `days; at most ${MOST_USAGE_DAYS}.`,
    auth: [S],
    query: object({
      from_date: Type.Optional({ ...Day, description: "Omitted: 29 days before the last." }),
      to_date: Type.Optional({ ...Day, description: "Omitted: today." }),
    }),
    returns: AgentUsage,
    errors: ["invalid_dates"],
  },
);
