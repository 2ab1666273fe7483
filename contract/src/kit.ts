// The vocabulary in which an operation is declared. A declaration is a plain value: the router, the OpenAPI document, the
// clients and the tests over all operations read it. Nothing in this package does I/O or knows how an operation works.
import Type, { type Static, type TSchema } from "typebox";
import { type ErrorCode, errors } from "./errors.ts";
import { type Include, includeQuery } from "./included.ts";

/** Of the interface that this contract declares; sent with every answer. */
export const API_VERSION = "1.0.0-rc.9";

/** The specification's letters: browser Session, native Mobile, personal API Token, developer Client, Public. */
export type Credential = "S" | "M" | "T" | "C" | "P";
export const [S, M, T, C, P] = ["S", "M", "T", "C", "P"] as const;

/** What the letters are called in the specification and in the OpenAPI document. */
export const credentialNames = {
  S: "browserSession",
  M: "nativeAccessToken",
  T: "bearerToken",
  C: "developerAccessToken",
} as const;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type RateClass =
  | "read"
  | "write"
  | "sign_in"
  | "password"
  | "register"
  | "register_client"
  | "mail"
  | "token"
  | "delivery";
type Route = `${Method} /${string}`;
type ParamNames<R extends string> = R extends `${string}{${infer N}}${infer Rest}` ? N | ParamNames<Rest> : never;
type Of<X, D> = X extends TSchema ? Static<X> : D;

interface Flags {
  /** Who may call. CSRF follows from S on an unsafe method, the scope svc:read or svc:write from the method. */
  auth: readonly Credential[];
  /** Longer text for the reference, beside the one-line summary. */
  description?: string;
  /** Success status; without it 200, or 204 where nothing is returned, or 302 for a redirect. */
  status?: 200 | 201 | 202 | 204;
  /**
   * Of a 201: the address of what was created, which is sent as Location, with names of fields of the answer and of the path in it; where it
   * cannot be read alone, the one at which it is changed or ended. null: it has no address.
   */
  creates?: `/${string}` | null;
  /** Nothing in the answer changes without its revision: If-None-Match is answered with 304. */
  unchanging?: true;
  /** 202 with the same body where the work goes on in the background after the answer. */
  accepted?: true;
  /** The answer is a CSV file instead of JSON. */
  csv?: true;
  /** Of a list: how many items a page has unless the caller says, where it is not PAGE. */
  pageOf?: number;
  /** Of a list: what its answer says beside the items. */
  beside?: Record<string, TSchema>;
  /** Of a read: what it can bring along (see included.ts). */
  include?: readonly Include[];
  /**
   * Of a read: it can be one snapshot of the journal. true: where a browser asks with X-Svc-Realtime-Baseline, and the answer's headers then say where
   * it stands. "always": it is nothing else, within two seconds and 1,048,576 bytes.
   */
  baseline?: true | "always";
  /** A success is a WebSocket that speaks this subprotocol: 101. A browser session needs our Origin, a token sends neither Origin nor Cookie. */
  socket?: string;
  /** The path names no Workspace: a native client selects it with X-Svc-Workspace-ID. Operations on a resource take that header anyway. */
  workspaceHeader?: true;
  /** Of a read that is no list: the shape of the rows that its handler reads, where it is these that name what is brought along. */
  rows?: TSchema;
  /** A success sends the browser elsewhere: 302 with Location and no body. */
  redirect?: true;
  /** The body is application/x-www-form-urlencoded instead of JSON: every field is text. */
  form?: true;
  /** The body is one file, or what another service sends and signs, instead of JSON: of one of these types, and of at most so many bytes. */
  raw?: {
    types: readonly string[];
    bytes: number;
    /** The code with which all that cannot be it is refused alike, so that whoever tries learns nothing. */
    refusal?: ErrorCode;
  };
  /** An OAuth endpoint: errors are {error, error_description} (RFC 6749) instead of problem+json. */
  oauth?: true;
  /**
   * Opened by a browser itself: where it asks for HTML, a refusal is a page of the web application, and without a session it goes to the
   * sign-in page and comes back. A public one sees who is signed in.
   */
  browser?: true;
  /** The code with which faults of the body's fields are answered, where it is not invalid_request. */
  faults?: ErrorCode;
  /** The scope that a token must hold, where it is not svc:read or svc:write. */
  scope?: "svc:discuss";
  /** Needs no scope: it is about the credential itself and not about what that may reach. */
  anyScope?: true;
  /** A success ends the credential that it was called with, so that nobody is left to repeat the call with a key. */
  endsCredential?: true;
  /** Called with what another service sends: what it adds is ignored (RFC 6749, 4.1.2). OAuth endpoints do so anyway. */
  lenient?: true;
  /** Served although the specification does not name it, and why. */
  unnamed?: string;
  /** Tag in the reference of an operation that the specification does not name. */
  tag?: string;
  /** Every write by a signed-in caller honours Idempotency-Key; "required" refuses a call without one, "none" takes none. */
  idempotencyKey?: "required" | "none";
  /** Takes a number for good before it commits. The key of a retry is therefore looked for first, so that a retry takes none. */
  takesNumber?: true;
  /**
   * If-Match is honoured wherever the answer has a revision; "optional" where only the target has one, as when it is deleted; "required"
   * refuses a call without it.
   */
  ifMatch?: "required" | "optional";
  /** What it changes is named in the body, and so is the revision that this must have: there is no If-Match. */
  revisionInBody?: true;
  /** Fields of the body that build on nothing that was read: sent alone they need no If-Match. */
  withoutIfMatch?: readonly string[];
  /** The session must have been authenticated within the last 15 minutes. */
  recentAuth?: true;
  /** Of a read that costs: a page of another site cannot have a browser's session call it. */
  costs?: true;
  /** Rate class, where it differs from read for GET and write for the rest. */
  limit?: RateClass;
  /** What a success does to the session cookies. */
  session?: "sets" | "rotates" | "clears";
  /** The answer holds a secret that is shown once: the stored copy for replay is encrypted. */
  secret?: true;
  /** Is about what the caller keeps for themselves in the Workspace, or changes nothing: whoever belongs to it may, a viewer too. */
  private?: true;
  stage?: "upcoming";
  /** Error codes of its own, beside those that follow from the declaration (see declaredErrors). */
  errors?: readonly ErrorCode[];
  /** A write that records no domain event, and why. */
  quiet?: string;
  /** An example body, shown in the reference and validated by a test. */
  example?: unknown;
}

export interface Schemas {
  query?: TSchema;
  body?: TSchema;
  result?: TSchema;
}

/** In and Out are carried as type arguments: deriving them again at each use is far slower to check. */
export interface Operation<In = never, Out = unknown> extends Flags {
  /** The name of the exported constant; set once, when the contract is collected. */
  id: string;
  route: Route;
  method: Method;
  /** Path below /api/v1, or from the root where it starts with /oauth/, with {parameters}. */
  path: string;
  params: readonly string[];
  summary: string;
  kind: "one" | "page";
  schemas: Schemas;
  readonly _in?: In;
  readonly _out?: Out;
}

export interface Input<Names extends string, Q, B> {
  params: Record<Names, string>;
  query: Q;
  body: B;
}
export interface PageInput {
  page: { after: readonly (string | number | null)[] | null; limit: number };
}

function declare(route: Route, summary: string, flags: Flags, kind: "one" | "page", schemas: Schemas) {
  const [method, path] = route.split(" ") as [Method, string];
  const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const query = flags.include ? withInclude(schemas.query, flags.include) : schemas.query;
  return { ...flags, id: "", route, method, path, params, summary, kind, schemas: { ...schemas, query } };
}
const withInclude = (query: TSchema | undefined, names: readonly Include[]) =>
  Type.Object(
    { ...(query as Type.TObject | undefined)?.properties, ...includeQuery(names) },
    { additionalProperties: false },
  );

/** Where a redirect leads. */
export interface Redirect {
  location: string;
}

/** A file of comma-separated values. */
export interface Csv {
  csv: string;
  filename: string;
}

/** An operation on one thing. */
export function op<
  R extends Route,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  X extends TSchema | undefined = undefined,
  Away extends true | undefined = undefined,
  Sheet extends true | undefined = undefined,
>(
  route: R,
  summary: string,
  spec: Flags & { query?: Q; body?: B; returns?: X; redirect?: Away; csv?: Sheet },
): Operation<
  // biome-ignore lint/complexity/noBannedTypes: an operation without a query has no query fields at all.
  Input<ParamNames<R>, Of<Q, {}>, Of<B, undefined>>,
  Away extends true ? Redirect : Sheet extends true ? Csv : Of<X, void>
> {
  const { query, body, returns, ...flags } = spec;
  return declare(route, summary, flags, "one", { query, body, result: returns }) as never;
}

/** Items to a page of a list, unless the list or the caller says. */
export const PAGE = 50;
/** A keyset page: cursor and limit are implied, the handler returns at most limit + 1 rows and the kernel signs the cursor. */
export function list<R extends `GET /${string}`, X extends TSchema, Q extends TSchema | undefined = undefined>(
  route: R,
  summary: string,
  spec: Flags & { query?: Q; items: X },
  // biome-ignore lint/complexity/noBannedTypes: as above.
): Operation<Input<ParamNames<R>, Of<Q, {}>, undefined> & PageInput, Static<X>[]> {
  const { query, items, ...flags } = spec;
  return declare(route, summary, flags, "page", { query, result: items }) as never;
}

// biome-ignore lint/suspicious/noExplicitAny: a heterogeneous collection of operations.
export type AnyOperation = Operation<any, any>;

export const isUnsafe = (operation: AnyOperation) => operation.method !== "GET";
export const isPublic = (operation: AnyOperation) => operation.auth.includes(P);
export const successStatus = (operation: AnyOperation) =>
  operation.status ??
  (operation.socket ? 101 : operation.redirect ? 302 : operation.schemas.result || operation.csv ? 200 : 204);
export const successStatuses = (operation: AnyOperation) =>
  operation.accepted ? [successStatus(operation), 202] : [successStatus(operation)];
/** Parameters and fields that it does not know are ignored and not refused. */
export const ignoresUnknown = (operation: AnyOperation) => operation.oauth === true || operation.lenient === true;
/** From the root of the service: OAuth clients find its endpoints beside /api/v1. */
export const pathOf = ({ path }: AnyOperation) => (path.startsWith("/oauth/") ? path : `/api/v1${path}`);
/** The parameter that takes the rest of an address, with the slashes in it: a last one that is itself a path. */
export const restOf = ({ params }: AnyOperation) => params.at(-1)?.match(/_path$/)?.input;
/** What a personal API token or a developer client's token must hold; null where any token will do. */
export const scopeOf = (operation: AnyOperation) =>
  operation.anyScope ? null : (operation.scope ?? (isUnsafe(operation) ? "svc:write" : "svc:read"));
/** Writes by a signed-in caller honour Idempotency-Key; those that set a cookie do not, because a cookie is never replayed. */
export const takesKey = (operation: AnyOperation) =>
  isUnsafe(operation) &&
  !isPublic(operation) &&
  operation.session === undefined &&
  !operation.endsCredential &&
  operation.idempotencyKey !== "none";
const hasRevision = (operation: AnyOperation) =>
  "revision" in ((operation.schemas.result as { properties?: object } | undefined)?.properties ?? {});
/** If-Match is read where it is declared and on every unsafe operation that answers with a revision it did not create. */
export const takesIfMatch = (operation: AnyOperation) =>
  operation.ifMatch !== undefined ||
  (isUnsafe(operation) &&
    !isPublic(operation) &&
    operation.status !== 201 &&
    !operation.revisionInBody &&
    hasRevision(operation));

/** Whether a call with this body is refused without If-Match. */
export const needsIfMatch = ({ ifMatch, withoutIfMatch }: AnyOperation, body: unknown) =>
  ifMatch === "required" &&
  !(withoutIfMatch && Object.keys(body ?? {}).every((field) => withoutIfMatch.includes(field)));

/** Prefer: return=minimal is honoured where the answer repeats what can be read again, and so never where it shows a secret. */
export const takesPrefer = (operation: AnyOperation) =>
  isUnsafe(operation) && !isPublic(operation) && !operation.secret && operation.schemas.result !== undefined;

/** Every code an operation can answer with: those that follow from its declaration, then its own. */
export function declaredErrors(operation: AnyOperation): ErrorCode[] {
  const unsafe = isUnsafe(operation);
  const codes: (ErrorCode | false)[] = [
    "invalid_request",
    operation.kind === "page" && "invalid_cursor",
    !isPublic(operation) && "authentication_required",
    !isPublic(operation) && "invalid_token",
    !isPublic(operation) && "credential_kind_not_allowed",
    scopeOf(operation) !== null && operation.auth.some((kind) => kind === "T" || kind === "C") && "insufficient_scope",
    (unsafe || operation.costs === true) && operation.auth.includes(S) && "invalid_csrf_token",
    operation.recentAuth === true && "recent_authentication_required",
    operation.params.length > 0 && "not_found",
    unsafe && "request_timeout",
    unsafe && operation.params.length > 0 && "forbidden",
    operation.idempotencyKey === "required" && "idempotency_key_required",
    takesKey(operation) && "idempotency_key_conflict",
    takesKey(operation) && "idempotency_in_progress",
    operation.ifMatch === "required" && "if_match_required",
    takesIfMatch(operation) && "revision_conflict",
    operation.baseline === "always" && "baseline_bounds",
    operation.baseline === "always" && "baseline_unavailable",
    operation.socket !== undefined && "forbidden",
    operation.socket !== undefined && "too_many_sockets",
    unsafe && (operation.raw?.refusal ?? "payload_too_large"),
    operation.schemas.body !== undefined && (operation.raw?.refusal ?? "unsupported_media_type"),
    ...(operation.errors ?? []),
    "rate_limited",
    "internal",
    "overloaded",
    "maintenance",
  ];
  const present = codes.filter((code): code is ErrorCode => code !== false);
  return [...new Set(present)].sort((a, b) => errors[a].status - errors[b].status);
}

const names = new WeakMap<object, string>();
/** The name under which a collected file exports this schema. */
export const nameOf = (schema: object): string | undefined => names.get(schema);

/** Collects the exported operations of the contract's files under their constants' names, and remembers the schemas' names. */
export function collect(...modules: Record<string, unknown>[]): ReadonlyMap<string, AnyOperation> {
  const byId = new Map<string, AnyOperation>();
  const byRoute = new Set<string>();
  for (const module of modules) {
    for (const [id, value] of Object.entries(module)) {
      if (value === null || typeof value !== "object") continue;
      if (!("route" in value)) {
        if (!names.has(value)) names.set(value, id);
        continue;
      }
      const operation = value as AnyOperation;
      const shape = operation.route.replace(/\{\w+\}/g, "{}");
      if (byId.has(id) || byRoute.has(shape)) throw new Error(`operation ${id} (${operation.route}) is declared twice`);
      operation.id = id;
      byId.set(id, operation);
      byRoute.add(shape);
    }
  }
  return byId;
}
