// Reasons why the knowledge repository could not be used. They are safe to show: none contains text from the server.
import Type from "typebox";

const repositoryErrors = {
  address_refused: "The address is not one of the public internet, or its name does not resolve.",
  unreachable: "The server did not answer in time.",
  credential_refused: "The server refuses the credential; give it another one with PATCH.",
  repository_missing: "There is no repository at the address, or the credential does not see it.",
  repository_moved: "The repository has moved; connect its new address with PUT.",
  repository_too_large:
    "The repository is larger than can be synchronised; keep large files elsewhere, or connect another one.",
  unsafe_name: "A name in the repository means another place, such as .. or .git; remove it there.",
  branch_missing: "The repository has other branches and not this one; create it, or name another with PATCH.",
  history_rewritten:
    "The branch does not lead back to what was synchronised last; " +
    "look at it, then sync with accept_rewritten_history: what differs becomes a conflict.",
  document_missing:
    "The Document that everything is below is in the trash, gone or in a private Project; " +
    "connect another one with PUT.",
  too_many_removals:
    "Most files are gone from the repository; look at it, then sync with accept_removals to move those Documents " +
    "to the trash.",
  push_refused: "The server refuses the push, perhaps because the branch is protected.",
  server_unsupported: "The server answers in a way that is not understood.",
  busy: "The branch moved on at each attempt; the next run tries again.",
  internal: "Our fault; the next run tries again.",
} as const;
export type RepositoryError = keyof typeof repositoryErrors;
export const ErrorCode = Type.Unsafe<RepositoryError | null>({
  type: ["string", "null"],
  enum: [...Object.keys(repositoryErrors), null],
  description: Object.entries(repositoryErrors)
    .map(([code, says]) => `- \`${code}\`: ${says}`)
    .join("\n"),
});
