// Builders for declaring operations. A declaration is a plain value that the router, the OpenAPI document, the clients
// and the tests over all operations read. This package does no I/O and contains no implementation of an operation.
import Type, { type Static, type TSchema } from "typebox";
import { type ErrorCode, errors } from "./errors.ts";
import { type Include, includeQuery } from "./included-schemas.ts";

/** Version of the interface that this contract declares; sent with every answer. */
export const API_VERSION = "1.0.0-rc.9";

/** The specification's letters: browser Session, native Mobile, personal API Token, developer Client, Public. */
export type Credential = "S" | "M" | "T" | "C" | "P";
export const [S, M, T, C, P] = ["S", "M", "T", "C", "P"] as const;

/** Names of the credential letters in the specification and in the OpenAPI document. */
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
  /** Longer text for the reference, in addition to the one-line summary. */
  description?: string;
  /** Success status. Default: 200, 204 without a result, or 302 for a redirect. */
  status?: 200 | 201 | 202 | 204;
  /**
   * For a 201: address of the created resource, sent as Location. It names fields of the answer and of the path. A
   * resource that cannot be read alone has the address at which it is changed or ended. null: it has no address.
   */
  creates?: `/${string}` | null;
  /** The answer changes only together with its revision, so that If-None-Match can be answered with 304. */
  unchanging?: true;
  /** Answers 202 with the same body if the work continues in the background. */
  accepted?: true;
  /** The answer is a CSV file instead of JSON. */
  csv?: true;
  /** For a list: default number of items in a page, if it differs from PAGE. */
  pageOf?: number;
  /** For a list: fields of the answer in addition to the items. */
  beside?: Record<string, TSchema>;
  /** For a read: names of the resources that it can include (see included-schemas.ts). */
  include?: readonly Include[];
  /**
   * For a read: the answer is one snapshot of the journal, and its headers report the snapshot's position. true: only
   * if a browser sends X-Svc-Realtime-Baseline. "always": on every call, within two seconds and 1,048,576 bytes.
   */
  baseline?: true | "always";
  /**
   * A success is a WebSocket (101) with this subprotocol. A browser session needs our Origin; a token must send neither
   * Origin nor Cookie.
   */
  socket?: string;
  /**
   * The path has no Workspace: a native client selects it with X-Svc-Workspace-ID. Operations on a resource accept that
   * header anyway.
   */
  workspaceHeader?: true;
  /** For a read that is no list: schema of its rows, if the rows hold the ids of the included resources. */
  rows?: TSchema;
  /** A success redirects the browser: 302 with Location and no body. */
  redirect?: true;
  /** The body is application/x-www-form-urlencoded instead of JSON: every field is a string. */
  form?: true;
  /**
   * The body is a single file, or a signed request of another service, instead of JSON. It has one of these media types
   * and a maximum size.
   */
  raw?: {
    types: readonly string[];
    bytes: number;
    /** One code for every refusal of the body, so that a prober learns nothing. */
    refusal?: ErrorCode;
  };
  /** An OAuth endpoint: errors are {error, error_description} (RFC 6749) instead of problem+json. */
  oauth?: true;
  /**
   * Opened by a browser directly: if the browser asks for HTML, a refusal is a page of the web application, and a
   * missing session redirects to sign-in and back. A public operation also receives the session.
   */
  browser?: true;
  /** Error code for invalid fields of the body, if it is not invalid_request. */
  faults?: ErrorCode;
  /** Scope that a token must have, if it is not svc:read or svc:write. */
  scope?: "svc:discuss";
  /** Needs no scope: the operation concerns the credential itself. */
  anyScope?: true;
  /** A success ends the credential of the call, so that no later retry can use an Idempotency-Key. */
  endsCredential?: true;
  /**
   * Called by another service, which may add fields: unknown ones are ignored (RFC 6749, 4.1.2). OAuth endpoints always
   * ignore them.
   */
  lenient?: true;
  /** Reason why the operation is served although the specification does not name it. */
  unnamed?: string;
  /** Tag in the reference of an operation that the specification does not name. */
  tag?: string;
  /** Writes by a signed-in caller honour Idempotency-Key; "required" refuses a call without one, "none" opts out. */
  idempotencyKey?: "required" | "none";
  /**
   * Reserves a sequence number before it commits. A retry checks its Idempotency-Key first, so that it reserves no
   * second number.
   */
  takesNumber?: true;
  /**
   * If-Match is honoured if the answer has a revision; "optional": only the target has one, as in a deletion;
   * "required": a call without it is refused.
   */
  ifMatch?: "required" | "optional";
  /** The body names the target and its expected revision: there is no If-Match. */
  revisionInBody?: true;
  /** Fields of the body that do not depend on a revision: a call with these alone needs no If-Match. */
  withoutIfMatch?: readonly string[];
  /** The session must have been authenticated within the last 15 minutes. */
  recentAuth?: true;
  /** For an expensive read: refuses requests of another site that use a browser's session. */
  costs?: true;
  /** Rate class, if it is not `read` for GET or `write` for other methods. */
  limit?: RateClass;
  /** Effect of a success on the session cookies. */
  session?: "sets" | "rotates" | "clears";
  /** The answer holds a secret that is shown once: the response stored for replay is encrypted. */
  secret?: true;
  /**
   * Concerns only the caller's own data in the Workspace, or changes nothing: every member may call it, viewers too.
   */
  private?: true;
  stage?: "upcoming";
  /** The operation's own error codes, in addition to those that follow from the declaration (see declaredErrors). */
  errors?: readonly ErrorCode[];
  /** Reason why this write records no domain event. */
  quiet?: string;
  /** An example body, shown in the reference and validated by a test. */
  example?: unknown;
}

export interface Schemas {
  query?: TSchema;
  body?: TSchema;
  result?: TSchema;
}

/** In and Out are type arguments: deriving them at each use makes type-checking far slower. */
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

/** Result of an operation that redirects. */
export interface Redirect {
  location: string;
}

/** A file of comma-separated values. */
export interface Csv {
  csv: string;
  filename: string;
}

/** Declares an operation that is not a list. */
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

/** Default number of items in a page. */
export const PAGE = 50;
/**
 * Declares a keyset page: cursor and limit are implied, the handler returns at most limit + 1 rows, and the kernel
 * signs the cursor.
 */
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
/** True if unknown parameters and fields are ignored instead of refused. */
export const ignoresUnknown = (operation: AnyOperation) => operation.oauth === true || operation.lenient === true;
/** The path from the root of the service: OAuth clients expect its endpoints next to /api/v1. */
export const pathOf = ({ path }: AnyOperation) => (path.startsWith("/oauth/") ? path : `/api/v1${path}`);
/** The parameter that matches the rest of the path, slashes included: the last one, if its name ends in _path. */
export const restOf = ({ params }: AnyOperation) => params.at(-1)?.match(/_path$/)?.input;
/** The scope that a personal API token or a developer client's token must have; null if any token is accepted. */
export const scopeOf = (operation: AnyOperation) =>
  operation.anyScope ? null : (operation.scope ?? (isUnsafe(operation) ? "svc:write" : "svc:read"));
/** Writes by a signed-in caller honour Idempotency-Key, except those that set a cookie: a cookie is never replayed. */
export const takesKey = (operation: AnyOperation) =>
  isUnsafe(operation) &&
  !isPublic(operation) &&
  operation.session === undefined &&
  !operation.endsCredential &&
  operation.idempotencyKey !== "none";
const hasRevision = (operation: AnyOperation) =>
  "revision" in ((operation.schemas.result as { properties?: object } | undefined)?.properties ?? {});
/**
 * If-Match is honoured if it is declared, and on every unsafe operation that answers with the revision of an existing
 * resource.
 */
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

/** Prefer: return=minimal is honoured if the answer can be read again, so never for an answer with a secret. */
export const takesPrefer = (operation: AnyOperation) =>
  isUnsafe(operation) && !isPublic(operation) && !operation.secret && operation.schemas.result !== undefined;

/** Every code that an operation can answer with: those that follow from its declaration, then its own. */
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
/** Name of the export under which a collected file declares this schema. */
export const nameOf = (schema: object): string | undefined => names.get(schema);

/**
 * Collects the exported operations of the contract's files by the names of their constants, and records the names of
 * the schemas.
 */
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
