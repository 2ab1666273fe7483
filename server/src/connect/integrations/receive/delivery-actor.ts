// Caller that a delivery acts as: the account linked to the person at the provider, else the installation itself, in
// the Projects that are bound to the resource and with present rights. Changes go through the same pipeline as those of
// everybody.
import { callingWith, type OperationCaller } from "../../../assistant/tools/operation-calls.ts";
import { lookup } from "../../../platform/database/principal.ts";
import type { Terms } from "../../../platform/kernel/authentication.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import type { ActingInstallation } from "../../../platform/outside/external-systems.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import { refuse } from "../../../platform/wire/problem.ts";

// Replaces the secret, which this caller does not have: 16 bytes each of the ids of the installation, the Workspace,
// the resource and the person.
const partOf = (from: number) => `encode(substring($1::bytea from ${from} for 16), 'hex')::uuid`;
const LOOKUP = lookup(
  `
left join lateral (
  select k.*, null::uuid as grant_id, 'integration' as kind, null::timestamptz as authenticated_at,
    now() as last_used_at, now() as created_at
  from integration_caller(${partOf(17)}, ${partOf(1)}, ${partOf(33)}, nullif(${partOf(49)}, '${NIL}')) k) c on true
left join lateral (
  select c.workspace_id, c.id, c.actor_id, c.role
  where c.id is not null and $3::text <> 'public' and ($2::uuid is null or $2 = c.workspace_id)) m on true`,
  ", c.account_name as client",
);
const bytesOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

const SCOPES = ["svc:read", "svc:write"];
const termsOf = ({ workspaceId, installationId, resourceId, userId }: ActingInstallation): Terms => ({
  presented: {
    kind: "integration",
    secret: "",
    hash: Buffer.concat([installationId, workspaceId, resourceId, userId ?? NIL].map(bytesOf)),
  },
  lookup: LOOKUP,
  scopes: SCOPES,
  admit: ({ member_workspace_id }) => {
    if (member_workspace_id === null) refuse("invalid_token");
  },
});

export const callingAs = (host: Host, acting: ActingInstallation, signal: AbortSignal): OperationCaller =>
  callingWith({ host, terms: termsOf(acting), correlationId: newId(), signal, workspaceId: acting.workspaceId });
