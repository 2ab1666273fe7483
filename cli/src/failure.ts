// Every failure of a command: the message, a hint for the next step, and the exit code for scripts.

/** Stable: 1 failed, 2 usage, 4 sign in, 5 conflict, 8 not found. */
export const EXIT = { failed: 1, usage: 2, signIn: 4, conflict: 5, notFound: 8 } as const;

export class Failure extends Error {
  readonly exit: number;
  /** The next step. */
  readonly hint: string | undefined;
  constructor(exit: number, message: string, hint?: string) {
    super(message);
    this.exit = exit;
    this.hint = hint;
  }
}

/** The refusal of an operation, as the client or a tool reports it. */
interface Refused {
  code: string;
  status: number;
  message: string;
  faults?: readonly { pointer: string; detail: string }[];
  extra?: Record<string, unknown>;
  correlationId?: string | null;
  outcome?: string;
  key?: string | null;
}
const isRefused = (error: unknown): error is Refused & Error =>
  error instanceof Error && typeof (error as Partial<Refused>).code === "string" && "status" in error;

const NEXT: Record<string, string> = {
  insufficient_scope: "Sign in again with the scopes that are needed: svc login --scopes svc:read,svc:write",
  forbidden: "Your role does not permit it: ask somebody who manages the Project or the Workspace.",
  not_found: "Look for it: svc search WORDS",
  revision_conflict: "Somebody has changed it meanwhile. Look at it, and run the command again.",
  workspace_access_denied: "See which Workspaces there are: svc workspace list",
  ai_access_disabled: "The Workspace lets no assistant in, and this command needs one. Ask somebody who manages it.",
  rate_limited: "Wait a while, and run the command again.",
  project_archived: "The Project is archived, and nothing in it can be changed.",
};

export const exitOf = ({ status, code }: Pick<Refused, "status" | "code">): number => {
  if (status === 401 || code === "insufficient_scope" || code === "invalid_grant") return EXIT.signIn;
  if (status === 404) return EXIT.notFound;
  return status === 409 || status === 412 ? EXIT.conflict : EXIT.failed;
};

/** Converts any error to a Failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!isRefused(error)) return new Failure(EXIT.failed, error instanceof Error ? error.message : String(error));
  const exit = exitOf(error);
  if (error.code === "unreachable") return unreachable(error);
  const faults = (error.faults ?? []).map(({ pointer, detail }) => `  ${pointer.replace(/^\/\w+\//, "")} ${detail}`);
  const choices = (error.extra?.choices as { name: string }[] | undefined)?.map(({ name }) => name);
  const hint =
    exit === EXIT.signIn && !NEXT[error.code]
      ? "Sign in: svc login"
      : choices
        ? `Say which: --status "${choices.join('", or --status "')}"`
        : NEXT[error.code];
  return new Failure(exit, [error.message, ...faults].join("\n"), hint);
}

function unreachable(error: Refused & Error): Failure {
  const cause = error.cause as (Error & { code?: string; cause?: { code?: string; message?: string } }) | undefined;
  const why = cause?.cause?.code ?? cause?.cause?.message ?? cause?.code ?? cause?.message ?? "no answer";
  const [again, hint] = error.key
    ? [" It may have happened all the same.", `Ask what became of it before you repeat it: svc receipt ${error.key}`]
    : ["", "Check the address and the connection: svc status"];
  return new Failure(EXIT.failed, `The service does not answer (${why}).${again}`, hint);
}

export const usage = (message: string, hint?: string) => new Failure(EXIT.usage, message, hint);
