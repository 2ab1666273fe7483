// Admission of sockets, and the scopes that may be followed. The pipeline decides before the upgrade, as for every
// other operation; this file adds the checks of sockets: the developer client, the Origin, and the capacity.
import { openRealtime as operation } from "@svc/contract/surfaces/realtime/door.ts";
import { type Scope, scopes } from "@svc/contract/surfaces/realtime/frames.ts";
import { ideClients } from "@svc/contract/surfaces/realtime/limits.ts";
import type { Principal } from "../../platform/kernel/authentication.ts";
import type { Call } from "../../platform/kernel/call.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { foreign } from "../../platform/wire/sockets/handshake.ts";

/** Identity of a socket's owner; contains no secret. */
export interface Guest {
  kind: Principal["kind"];
  credentialId: string;
  holderId: string;
  userId: string;
  workspaceId: string | null;
  actorId: string | null;
}

const CLIENT = `
select (select g.client_id from oauth_grants g where g.id = c.grant_id) as client_id from credentials c
where c.id = current_credential()`;
/** A caller of the realtime operations, with the OAuth client of its grant. */
export const follower: Access<{ clientId: string | null }> = {
  reach: "named",
  load: async (tx) => ({ clientId: (await tx.maybe<{ client_id: string | null }>(CLIENT))?.client_id ?? null }),
  permits: () => true,
};

/** IDEs are the only developer clients that may use the realtime operations. */
export function requireIde(kind: Principal["kind"], clientId: string | null): void {
  if (kind === "developer" && !ideClients.includes(clientId ?? ""))
    refuseAt(
      "/headers/authorization",
      "credential_kind_not_allowed",
      `is a token of another developer client; this operation accepts ${ideClients.join(" and ")}`,
      "not_allowed",
    );
}
export const openRealtime = implement(operation, follower, async ({ principal }, { target: { clientId } }) =>
  requireIde(principal.kind, clientId),
);

/** Last check before the upgrade. */
export function guestOf({ principal, request, kernel }: Call): Guest {
  const { kind, credentialId, holderId, userId, workspaceId, membership } = principal ?? refuse("internal");
  if (kind === "session") {
    const refusal = foreign(request, kernel.outside.origin());
    if (refusal) throw refusal;
  }
  // Sessions and grants have their own Workspace; a header cannot select another one.
  const meant = workspaceId ?? request.headers["x-svc-workspace-id"] ?? null;
  if (meant !== null && !(membership && membership.workspaceId === workspaceId)) refuse("workspace_access_denied");
  return {
    kind,
    credentialId,
    holderId,
    userId,
    workspaceId: membership?.workspaceId ?? null,
    actorId: membership?.actorId ?? null,
  };
}

const OF_ACCOUNT: readonly Scope[] = ["account", "account_security"];
const OF_DEVELOPERS: readonly Scope[] = ["workspace", "projects", "task_comments"];
export const scopesOf = ({ kind, workspaceId }: Guest): readonly Scope[] =>
  kind === "developer" ? OF_DEVELOPERS : workspaceId === null ? OF_ACCOUNT : scopes;
