// Authorization round trips through a provider: connecting a Workspace that needs consent there, and linking a person's
// account.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { object, PagePath, Timestamp } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

export const createIntegrationAuthorization = op(
  "POST /workspaces/{workspace_id}/integration-authorizations",
  "Start an authorization at a provider",
  {
    description:
      "Send the browser to authorize_url; it returns to return_path, with integration=connected or " +
      "integration=failed. installation connects the Workspace, which needs integrations:manage; " +
      "identity links your identity at the provider with your account. Needs a recent authentication. " +
      "The URL is valid for ten minutes, once, and in the session that requested it.",
    auth: [S],
    private: true,
    recentAuth: true,
    quiet: "Nothing happens before the browser returns.",
    body: object({
      provider_key: ProviderKey,
      purpose: Type.Enum(["installation", "identity"]),
      return_path: Type.Optional({
        ...PagePath,
        default: "/",
        description: "Page of the application, from its root.",
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
  "Complete an authorization at a provider",
  {
    description:
      "The provider calls it through the browser. Redirects to return_path with integration=connected or " +
      "integration=failed, and never states the reason.",
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
