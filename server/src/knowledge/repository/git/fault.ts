// Reason why a repository could not be used: one code that is safe to show to whoever connected it, without anything
// that the server sent.
import type { RepositoryError } from "@svc/contract/knowledge/repository/errors.ts";

export class RepositoryFault extends Error {
  readonly code: RepositoryError;
  constructor(code: RepositoryError, cause?: unknown) {
    super(code, { cause });
    this.name = "RepositoryFault";
    this.code = code;
  }
}
