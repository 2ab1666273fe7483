// Caller of a run's operations: its Agent, for its initiator, under the present rights of both. Every call checks them
// again, so that a quarantine or a lost membership takes effect at once.
import { lookup } from "../../../platform/database/principal.ts";
import type { Terms } from "../../../platform/kernel/authentication.ts";
import { refuse } from "../../../platform/wire/problem.ts";

// Replaces the secret, which this caller does not have: 16 bytes each of the ids of the run and the Workspace.
const partOf = (from: number) => `encode(substring($1::bytea from ${from} for 16), 'hex')::uuid`;
const LOOKUP = lookup(
  `
left join lateral (
  select k.*, null::uuid as grant_id, 'agent' as kind, null::timestamptz as authenticated_at, now() as last_used_at,
    now() as created_at
  from agent_caller(${partOf(17)}, ${partOf(1)}) k where k.fault is null) c on true
left join lateral (
  select c.workspace_id, c.id, c.actor_id, c.role
  where c.id is not null and $3::text <> 'public' and ($2::uuid is null or $2 = c.workspace_id)) m on true`,
  ", (select u.display_name from users u where u.id = c.user_id) as client",
);
const bytesOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

export const agentTerms = (workspaceId: string, runId: string, scopes: readonly string[]): Terms => ({
  presented: { kind: "agent", secret: "", hash: Buffer.concat([bytesOf(runId), bytesOf(workspaceId)]) },
  lookup: LOOKUP,
  scopes,
  admit: ({ member_workspace_id }) => {
    if (member_workspace_id === null) refuse("invalid_token");
  },
});
