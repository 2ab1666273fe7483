// Writes the idempotency row with the response, the domain events and the audit row in the transaction of the change.
// The key is stored last: a retry or a concurrent twin conflicts there at the latest, is rolled back, and then finds
// the stored response. A crash leaves nothing to clean up.
import type { Queries } from "../database/db.ts";
import type { Letter } from "../outside/external-systems.ts";
import { newId, sha256 } from "../wire/ids.ts";
import type { Fact } from "./events.ts";

export interface Answer {
  status: number;
  etag: string | null;
  body: string;
  /** Location of a redirect, which is never stored, or of a created resource. */
  location?: string;
  /** File name of a CSV response. */
  file?: string;
}

/** Author of a write: tenant, operation and credential. */
export interface Author {
  tenant: string;
  operation: string;
  userId: string | null;
  actorId: string | null;
  credentialId: string | null;
  credentialKind: string | null;
  /** Name of the client program that acts for them. */
  client: string | null;
  correlationId: string;
  targetId: string | null;
}

/** Effects that a handler collects for the commit and for the response. */
export interface WriteLog {
  author: Author;
  /** Id of the transaction's audit row; each of its events references it. */
  commandId: string;
  facts: Fact[];
  jobs: { name: string; payload: Record<string, unknown> }[];
  /** Statements that nothing has awaited yet. */
  deferred: Promise<unknown>[];
  cookies: string[];
  letters: Letter[];
}

export interface Claim {
  operation: string;
  keyHash: Buffer;
  fingerprint: Buffer;
  replaces: string | undefined;
}
/** Response stored with a key. */
export type StoredAnswer = Answer & { fingerprint: Buffer; command_id: string };

/** Hashes the key, stored nowhere, into the fingerprint: without it nobody can guess bodies with passwords. */
export function claimOf(key: string, operation: string, request: string[], body: Buffer): Omit<Claim, "replaces"> {
  const fingerprint = sha256(Buffer.concat([Buffer.from(`${[key, ...request].join("\n")}\n`), body]));
  return { operation, keyHash: sha256(key), fingerprint };
}

/** Whether a write failed because a concurrent twin has stored the same key. */
export const isTwin = (error: unknown) => (error as { constraint?: string }).constraint === "idempotency_keys_pkey";

const AUDIT = `
insert into audit_log (workspace_id, id, operation, user_id, actor_id, credential_id, credential_kind, target_id, correlation_id, client)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const EVENT_COLUMNS = `
insert into domain_events (workspace_id, command_id, user_id, actor_id, source, client, id, type, activity, project_id, task_id, resource_kind, resource_id, payload)`;
const EVENT_RECORD =
  "e(id uuid, type text, activity text, project_id uuid, task_id uuid, resource_kind text, resource_id uuid, payload jsonb)";
// Most commands have one event; as plain values it costs half as much as a record set.
const EVENT = `${EVENT_COLUMNS} values ($1, $2, $4, $5, $7, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;
const EVENTS = `${EVENT_COLUMNS}
select $1, $2, $4, $5, $7, $10, e.id, e.type, e.activity, e.project_id, e.task_id, e.resource_kind, e.resource_id, e.payload
from jsonb_to_recordset($11::jsonb) as ${EVENT_RECORD}`;
/** A key belongs to the Actor in a Workspace, and outside one to the account. */
const keep = (first: number) => `
insert into idempotency_keys (workspace_id, principal_id, operation, command_id, key_hash, fingerprint, status, etag, body)
values ($1, case when $5::uuid is null then $4::uuid else $5::uuid end, $3, $2, $${first}, $${first + 1}, $${first + 2}, $${first + 3}, $${first + 4})`;
/** Compares the command id: if a twin replaced the response first, the key is taken and the twin's response counts. */
const REPLACE =
  "delete from idempotency_keys where workspace_id = $1 and key_hash = $2 and principal_id = $3 and operation = $4 and command_id = $5";
const statement = (events: string, keyed: string) =>
  keyed
    ? `with audit as (${AUDIT})${events && `, events as (${events})`} ${keyed}`
    : events
      ? `with audit as (${AUDIT}) ${events}`
      : AUDIT;
/** Statements by number of events (none, one, several) and by whether a key is stored. */
const statements = {
  keyed: [statement("", keep(11)), statement(EVENT, keep(19)), statement(EVENTS, keep(12))],
  unkeyed: [statement("", ""), statement(EVENT, ""), statement(EVENTS, "")],
} as const;

/** Sends everything in one batch, together with COMMIT. */
export function writeLedger(tx: Queries, left: WriteLog, claim: Claim | null, stored: Answer): Promise<unknown> {
  const { commandId, facts } = left;
  const { tenant, operation, userId, actorId, credentialId, credentialKind, ...rest } = left.author;
  const { targetId, correlationId, client } = rest;
  const by = [userId, actorId, credentialId, credentialKind];
  const audit = [tenant, commandId, operation, ...by, targetId, correlationId, client];
  const sql = statements[claim ? "keyed" : "unkeyed"][Math.min(facts.length, 2)] as string;
  const keyed = claim ? [claim.keyHash, claim.fingerprint, stored.status, stored.etag, stored.body] : [];
  const old = claim?.replaces && [tenant, claim.keyHash, actorId ?? userId, operation, claim.replaces];
  const replacing = old && tx.rows(REPLACE, old);
  return Promise.all([replacing, tx.rows(sql, [...audit, ...eventValues(commandId, facts), ...keyed])]);
}

const ELSEWHERE = `${EVENT_COLUMNS}
select $1, $2, $3, $4, $5, $6, e.id, e.type, e.activity, e.project_id, e.task_id, e.resource_kind, e.resource_id, e.payload
from jsonb_to_recordset($7::jsonb) as ${EVENT_RECORD}`;

/** Writes events without a ledger, on another tenant or in the background. The connection must be set to the tenant. */
export function writeEvents(
  tx: Queries,
  { commandId, author }: { commandId: string; author: Pick<Author, "userId" | "credentialKind"> & Partial<Author> },
  tenant: string,
  actorId: string | null,
  facts: readonly Fact[],
) {
  const events = JSON.stringify(facts.map((fact) => recordOf(fact, newId())));
  const { userId, credentialKind, client = null } = author;
  return tx.rows(ELSEWHERE, [tenant, commandId, userId, actorId, credentialKind, client, events]);
}

/** Shares the command's prefix: the primary key finds a command's events (first_event_of()) without another index. */
const eventId = (commandId: string, place: number) => commandId.slice(0, -4) + place.toString(16).padStart(4, "0");

const recordOf = ({ type, activity, subject, payload }: Fact, id: string) => ({
  id,
  type,
  activity,
  project_id: subject.projectId ?? null,
  task_id: subject.taskId ?? null,
  resource_kind: subject.kind,
  resource_id: subject.id,
  payload,
});

function eventValues(commandId: string, facts: readonly Fact[]): unknown[] {
  const records = facts.map((fact, place) => recordOf(fact, eventId(commandId, place)));
  return records.length > 1 ? [JSON.stringify(records)] : records.flatMap((record) => Object.values(record));
}
