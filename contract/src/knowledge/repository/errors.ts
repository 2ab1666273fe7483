// Reasons why the knowledge repository could not be used. They are safe to show: none contains text from the server.
import Type from "typebox";

const repositoryErrors = {
  address_refused: "The address is not one of the public internet, or its name does not resolve.",
  unreachable: "The server did not answer in time.",
  credential_refused: "The server refuses the credential; send another one with PATCH.",
  repository_missing: "There is no repository at the address, or the credential does not have access to it.",
  repository_moved: "The repository has moved; connect its new address with PUT.",
  repository_too_large:
    "The repository is larger than can be synchronised; keep large files elsewhere, or connect another one.",
  unsafe_name: "A name in the repository refers to another place, such as .. or .git; remove it there.",
  branch_missing: "The repository has no branch of this name; create it, or name another with PATCH.",
  history_rewritten:
    "The branch does not descend from the last synchronised commit; check it, then sync with " +
    "accept_rewritten_history: differences become conflicts.",
  document_missing: "The root Document is in the trash, deleted or in a private Project; connect another one with PUT.",
  too_many_removals:
    "Most files are gone from the repository; check it, then sync with accept_removals to move those " +
    "Documents to the trash.",
  push_refused: "The server refuses the push, perhaps because the branch is protected.",
  server_unsupported: "The answer of the server is not understood.",
  busy: "The branch changed during each attempt; the next run tries again.",
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
