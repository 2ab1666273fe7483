// Parts of the OpenAPI document that do not depend on operations: introduction, tags, credentials, headers, the problem
// schema. They are text for readers of the reference and have no effect on the server.
import { errors } from "./errors.ts";
import { API_VERSION, credentialNames } from "./kit.ts";

export const info = {
  title: "svc",
  version: API_VERSION,
  summary: "Team work management as an HTTP and JSON API.",
  description: `Workspaces hold Projects, Projects hold Tasks, and every change is retry-safe, conflict-safe and answerable.

**Start here.** Register (\`POST /auth/register\`), create your Workspace (\`POST /workspaces/bootstrap\`), then create a Project, a Task and a
comment. In this page a signed-in browser needs nothing else: the session cookie, the CSRF token and an \`Idempotency-Key\` are sent for you.

### Credentials
A browser sends the session cookie, and on every unsafe method the header \`X-CSRF-Token\` with the value of the cookie \`__Host-svc_csrf\`. Everything
else sends \`Authorization: Bearer …\`. Each operation lists the kinds of credential that it accepts; a bearer, even a bad one, outranks the cookie.

### Retry-safe writes
Send \`Idempotency-Key\` (16 to 200 visible ASCII characters) with a write, and the same one with every retry of it. The change and its answer are
stored in one transaction and kept for 24 hours: a retry gets the first answer back, with \`Idempotent-Replayed: true\`. The same key with another
request is refused with \`idempotency_key_conflict\`.

### Conflict-safe changes
Every resource has a \`revision\`; the \`ETag\` is the same number quoted. Send it back in \`If-Match\`, with or without the quotes. When somebody else was faster, the answer is
\`revision_conflict\` with \`current_revision\`, and nothing was changed. A change to what is there already is answered with it:
its revision stays, and nothing is recorded.

### Short answers
A \`201\` has \`Location\`: where what was created is. With \`Prefer: return=minimal\` a write answers 204 with its headers (\`ETag\`, \`Location\`,
\`X-Svc-Command-ID\`) and no body, unless the body shows a secret that is shown once. \`If-None-Match\` is answered with 304 where nothing in the answer
changes without its revision: the operation then names the header. Elsewhere, and where they are malformed, both are ignored.

### Lists
\`{ items, next_cursor, has_more }\`, 50 to a page unless \`limit\` says otherwise. Pass \`next_cursor\` back as \`cursor\`, or follow the \`Link\` header.
A cursor belongs to one list, one caller and one set of filters.

Rows name other things by their ids. \`include=status,people,project\` brings these along under \`included\`, each once and by its id, so that a page or a
script draws its answer without asking again; every read lists what it can bring.

### Errors
Every error is \`application/problem+json\` with a stable \`code\`, a sentence that says what to do next, and the \`correlation_id\` under which we find
it. Faults of input are listed in \`errors\`, each with a JSON pointer. A resource that you cannot read answers exactly like one that does not exist: 404.
All codes: [/problems](/problems).

### Fields
Names are snake_case. Identifiers are opaque UUIDs. Times are RFC 3339 in UTC with milliseconds. A field without a value is \`null\`, never absent; in a
\`PATCH\` an omitted field stays and \`null\` clears it. Text may not hold control characters. Unknown fields and unknown parameters are refused.
New fields may appear in answers within version 1.`,
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

const tagDescriptions: Record<string, string> = {
  Account: "The signed-in person: profile, sessions and API tokens.",
  Activity: "Activity, projected from recorded events under the reader's current access.",
  Agents: "Curated and custom Agents and their runs.",
  Attachments: "Files, uploaded directly to object storage.",
  Authentication: "Sign-in, sign-out and the browser session.",
  Billing: "Subscription and invoice references.",
  CLI: "Operations of the command-line tool and IDE plugins.",
  Commands: "Commands that act on work.",
  Comments: "Discussion on Tasks, with reactions.",
  "Developer clients": "Authorisation of developer clients.",
  Discuss: "The membership-private conversation with its search agent.",
  Documents: "Rich-text Documents with immutable revisions.",
  HomeWork: "Composed reads for the home page.",
  Integrations: "Connections with external providers.",
  Knowledge: "Retrieval over indexed content.",
  Labels: "Labels and their assignments.",
  OAuth: "The authorization server of MCP clients, outside of /api/v1, and the person's consent.",
  "Native work": "Private working sets: evidence, selections, change sets, receipts.",
  People: "The people of a Workspace.",
  Projects: "Projects, which group Tasks.",
  Realtime: "Live updates.",
  Search: "Search over content.",
  Tasks: "The unit of work.",
  "Time tracking": "Manual time entries and the rounding policy.",
  Webhooks: "Endpoints that receive signed events, and the deliveries to them.",
  Workspaces: "The tenant that contains everything else. Also its members and its workflow Statuses.",
};
export const tagOf = (name: string) => ({ name, description: tagDescriptions[name] as string });

export const securitySchemes = {
  [credentialNames.S]: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-svc_session",
    description: "Browser session. Unsafe methods also need X-CSRF-Token.",
  },
  [credentialNames.M]: { type: "http", scheme: "bearer", description: "Native application: `svc_nat_…`, 15 minutes." },
  [credentialNames.T]: {
    type: "http",
    scheme: "bearer",
    description:
      "Personal API token: `svc_pat_…`, from POST /me/api-tokens. Scope svc:read for GET, svc:write for the rest.",
  },
  [credentialNames.C]: {
    type: "http",
    scheme: "bearer",
    description: "Developer client: `svc_dat_…`. Scope svc:read for GET, svc:write for the rest.",
  },
};

const text = (extra: object = {}) => ({ type: "string", ...extra });
const header = (description: string, schema: object, example: unknown) => ({ description, schema, example });

export const headers = {
  ETag: header("The revision, quoted. Send it back in If-Match.", text(), '"1"'),
  "X-Svc-Command-ID": header(
    "Id of this write: a receipt under it has the outcome.",
    text({ format: "uuid" }),
    "0198c5d2-6f00-7000-8000-0000000000c0",
  ),
  "Idempotent-Replayed": header(
    "Present when this is the stored answer to an earlier request with this key.",
    text({ enum: ["true"] }),
    "true",
  ),
  Link: header(
    "The next page, with rel=next; absent on the last one.",
    text(),
    '</api/v1/workspaces?cursor=…>; rel="next"',
  ),
  Location: header(
    "Address of the created resource, or of the redirect.",
    text(),
    "/api/v1/tasks/0198c5d2-6f00-7000-8000-0000000000a0",
  ),
  "Preference-Applied": header("The body was left out, as requested by Prefer.", text(), "return=minimal"),
  RateLimit: header(
    "Remaining requests of the rate limit (r), and the seconds until it is full again (t).",
    text(),
    '"read";r=1199;t=1',
  ),
  "RateLimit-Policy": header("The rate limit: q requests in w seconds.", text(), '"read";q=1200;w=60'),
  "Retry-After": header("Seconds to wait before the next attempt.", { type: "integer", minimum: 1 }, 1),
  "Set-Cookie": header(
    "The session cookie and the CSRF cookie.",
    text(),
    "__Host-svc_session=…; Path=/; Secure; SameSite=Lax; HttpOnly",
  ),
  "X-Svc-Realtime-Cursor": header(
    "With X-Svc-Realtime-Baseline: cursor of this answer in the journal of changes, for you and this " +
      "session. Upcoming.",
    text({ maxLength: 4096 }),
    "4pW0ZQm8yTjH2cVx6RkLb1.9d10",
  ),
  "X-Svc-Realtime-Position": header(
    "With X-Svc-Realtime-Baseline: the same position as a decimal number. Upcoming.",
    text({ pattern: "^\\d{1,20}$" }),
    "48151623",
  ),
  "X-Correlation-ID": header(
    "Identifies this request in our logs; yours is used if you send one.",
    text(),
    "0196a1b2-c3d4-7e5f-8a9b-0000c0ffee00",
  ),
};

const pointer = { type: "string", description: "JSON pointer into { path, query, headers, body }." };
export const Problem = {
  type: "object",
  description: "An error (RFC 9457).",
  required: ["type", "title", "status", "detail", "code", "correlation_id"],
  properties: {
    type: text({ description: "A page about this code.", format: "uri-reference" }),
    title: text(),
    status: { type: "integer" },
    detail: text({ description: "Next step for the caller." }),
    code: text({ description: "Stable machine code.", enum: Object.keys(errors) }),
    correlation_id: text({ description: "Identifies this request in our logs." }),
    errors: {
      type: "array",
      description: "Errors in the input.",
      items: {
        type: "object",
        required: ["pointer", "code", "detail"],
        properties: { pointer, code: text(), detail: text() },
      },
    },
    current_revision: text({ description: "With revision_conflict: the revision to repeat the change on." }),
    choices: {
      type: "array",
      items: { type: "object", required: ["id", "name"], properties: { id: text(), name: text() } },
      description:
        "With completion_target_required: the Statuses to choose from. With milestone_stage_in_use: " +
        "the stages to keep or replace.",
    },
    required_scopes: { type: "array", items: text(), description: "With insufficient_scope: any of these." },
    retry_after: { type: "integer", description: "Seconds; the same as Retry-After." },
  },
};
