// The consent request of an OAuth client, and the person's decision. Nothing is granted without it.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Line, Name, nullable, object, Role, Slug, Timestamp } from "../../types.ts";

const unnamed = "the consent page of the web application needs it: a grant begins with the person's explicit answer";
const request = Type.String({
  minLength: 1,
  maxLength: 14_000,
  description: "The `request` value that the consent page received.",
});

export const ConsentQuestion = object({
  family: Type.Enum(["developer", "native", "mcp"]),
  client: object({
    id: Line(2048),
    name: Line(100),
    verified: Type.Boolean({ description: "false: the name is stated by the client and unverified." }),
  }),
  redirect_host: Line(2048),
  scopes: Type.Array(object({ scope: Type.String(), description: Type.String() })),
  chooses_workspace: Type.Boolean({ description: "Whether the person chooses one Workspace that the grant is for." }),
  workspaces: Type.Array(object({ id: Id, name: Name(100), slug: Slug, role: Role }), {
    description: "Workspaces to choose from, at most 100, the session's first.",
  }),
  workspace_id: nullable(Id),
  served: Type.Boolean({ description: "Always true; present for pages of an older release.", examples: [true] }),
  expires_at: Timestamp,
});

export const getConsent = op("GET /oauth/consent", "Read a client's consent request", {
  description: "Only the person to whom the request was made can read it, for ten minutes.",
  auth: [S],
  unnamed,
  tag: "OAuth",
  query: object({ request }),
  returns: ConsentQuestion,
  errors: ["invalid_link"],
});

export const answerConsent = op("POST /oauth/consent", "Approve or deny a client's consent request", {
  description:
    "Approval grants access to exactly one Workspace; for native clients it names none. " +
    "Approval needs a recent authentication, denial does not. Send the browser to redirect_to, " +
    "which contains the code or the error access_denied.",
  auth: [S],
  unnamed,
  tag: "OAuth",
  status: 201,
  creates: null,
  secret: true,
  body: object({
    request,
    decision: Type.Enum(["approve", "deny"]),
    workspace_id: Type.Optional({ ...Id, description: "Required to approve a client that chooses one Workspace." }),
  }),
  example: { request: "key.nonce.sealed", decision: "approve", workspace_id: "01980000-0000-7000-8000-000000000001" },
  returns: object({ redirect_to: Type.String() }),
  errors: ["recent_authentication_required", "invalid_link", "workspace_access_denied"],
});
