// Authorization round trips through a provider: connecting a Workspace that needs consent there, and linking a person's
// account.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { object, PagePath, Timestamp } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

export const createIntegrationAuthorization = op(
  "POST /workspaces/{workspace_id}/integration-authorizations",
  "Begin a round trip through a provider",
  {
    description:
      "The browser goes to authorize_url and comes back to return_path, with integration=connected or " +
      "integration=failed. installation connects the Workspace, which needs integrations:manage; " +
      "identity links who you are there with your account. Needs a recent proof. It works for ten minutes, " +
      "once, and in the session that began it.",
    auth: [S],
    private: true,
    recentAuth: true,
    quiet: "nothing has happened before the browser comes back",
    body: object({
      provider_key: ProviderKey,
      purpose: Type.Enum(["installation", "identity"]),
      return_path: Type.Optional({
        ...PagePath,
        default: "/",
        description: "A page of the application, from its root.",
      }),
    }),
    example: { provider_key: "gitlab", purpose: "installation", return_path: "/account" },
    returns: object({ authorize_url: Type.String(), expires_at: Timestamp }),
    errors: ["invalid_reference", "integration_unavailable", "authorization_unsupported"],
  },
);

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
export const completeIntegrationAuthorization = op(
  "GET /integration-authorizations/callback",
  "Come back from a provider",
  {
    description:
      "Called by the provider, through the browser. Leads to return_path with integration=connected or " +
      "integration=failed, and never says why.",
    auth: [P],
    redirect: true,
    browser: true,
    lenient: true,
    limit: "token",
    query: object({
      state: Type.String({ minLength: 1, maxLength: 512 }),
      code: text(4096),
      error: text(500),
      installation_id: text(100),
    }),
  },
);
