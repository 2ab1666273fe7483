// What providers say of their answers and deliveries, in packages that are read by the compiler alone: GitHub
// (@octokit/openapi-types 29, @octokit/webhooks-types 7.6), Gitea (gitea-js 1.23), Slack (@slack/web-api 8) and Figma
// (@figma/rest-api-spec 0.43). A stand-in that answers with a field or a type that is not published does not compile.
// GitLab and error trackers publish none.
import type { GetFileNodesResponse, GetMeResponse } from "@figma/rest-api-spec";
import type { operations } from "@octokit/openapi-types";
import type { EventPayloadMap } from "@octokit/webhooks-types";
import type {
  AuthRevokeResponse,
  ChatPostMessageResponse,
  ChatUnfurlResponse,
  ConversationsHistoryResponse,
  ConversationsListResponse,
  OauthV2AccessResponse,
  UsersIdentityResponse,
  UsersInfoResponse,
} from "@slack/web-api";
import type * as gitea from "gitea-js";

/** Some of the fields: a test answers with those that are read. */
export type Part<T> = T extends readonly (infer Each)[]
  ? Part<Each>[]
  : T extends object
    ? { [Key in keyof T]?: Part<T[Key]> }
    : T;

type Answer<Id extends keyof operations, Status extends number> = operations[Id] extends {
  responses: { [S in Status]: { content: { "application/json": infer Body } } };
}
  ? Part<Body>
  : never;

export interface GitHub {
  user: Answer<"users/get-authenticated", 200>;
  installations: Answer<"apps/list-installations-for-authenticated-user", 200>;
  repositoriesOfPerson: Answer<"apps/list-installation-repos-for-authenticated-user", 200>;
  repositories: Answer<"apps/list-repos-accessible-to-installation", 200>;
  token: Answer<"apps/create-installation-access-token", 201>;
  permission: Answer<"repos/get-collaborator-permission-level", 200>;
  pull: Answer<"pulls/get", 200>;
  branch: Answer<"repos/get-branch", 200>;
  comment: Answer<"issues/create-comment", 201>;
  issue: Answer<"issues/create", 201>;
  status: Answer<"repos/create-commit-status", 201>;
}
export type GitHubDelivery<Name extends keyof EventPayloadMap> = Part<EventPayloadMap[Name]>;
export interface Gitea {
  user: Part<gitea.User>;
  repository: Part<gitea.Repository>;
  permission: Part<gitea.RepoCollaboratorPermission>;
  hook: Part<gitea.Hook>;
  pull: Part<gitea.PullRequest>;
  branch: Part<gitea.Branch>;
  comment: Part<gitea.Comment>;
  issue: Part<gitea.Issue>;
  status: Part<gitea.CommitStatus>;
}
export interface Slack {
  access: Part<OauthV2AccessResponse>;
  identity: Part<UsersIdentityResponse>;
  info: Part<UsersInfoResponse>;
  revoke: Part<AuthRevokeResponse>;
  channels: Part<ConversationsListResponse>;
  history: Part<ConversationsHistoryResponse>;
  posted: Part<ChatPostMessageResponse>;
  unfurled: Part<ChatUnfurlResponse>;
}
export interface Figma {
  me: Part<GetMeResponse>;
  nodes: Part<GetFileNodesResponse>;
}
