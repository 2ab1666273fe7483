// Wire views of runs, their actions and their outputs.
import { AgentActionRow } from "@svc/contract/assistant/agents/actions.ts";
import { AgentOutput } from "@svc/contract/assistant/agents/outputs.ts";
import { AgentRunRow } from "@svc/contract/assistant/agents/runs.ts";
import { view } from "../../../platform/database/view.ts";

/** Cost with the weights of costOf: an output token counts as four input tokens. */
export const usageOf = `json_build_object('steps', r.steps, 'input_tokens', r.input_tokens,
  'output_tokens', r.output_tokens,
  'cost', (r.input_tokens + 4 * r.output_tokens) / 1000.0)`;
export const runView = view(AgentRunRow, "r", {
  usage: usageOf,
  task_id: "case when r.initiator_actor_id = current_actor() then r.task_id end",
});
export const actionView = view(AgentActionRow, "a", {
  approval: `case when a.approval_id is null then null
    else json_build_object('id', a.approval_id, 'digest', a.digest, 'expires_at', wire_time(a.expires_at),
    'state', case when a.state = 'waiting' and a.expires_at <= now() then 'expired' when a.state = 'waiting' then 'open'
      when a.state in ('done', 'refused') then 'approved' else a.state end) end`,
});
export const outputView = view(AgentOutput, "o");
