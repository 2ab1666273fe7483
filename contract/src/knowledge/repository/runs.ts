// Runs of the synchronisation with the knowledge repository: requested runs, and their results.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";
import { ErrorCode } from "./errors.ts";

const runKinds = ["import", "sync"] as const;
const runStates = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
/** Reasons why one file was skipped. */
const fileProblems = {
  file_too_large: "The file has more than 262,144 characters.",
  not_text: "The file is not UTF-8, or has characters that are not allowed in text.",
  symbolic_link: "The file is a symbolic link, which is not followed.",
  unsafe_name: "The name of the file could refer to another place, or is impossible on some platform.",
  case_collision: "Another file has the same name in different case.",
  too_deep: "The file is deeper than 20 levels.",
  front_matter_invalid: "The lines between --- cannot be parsed.",
  content_refused: "The Markdown of the file cannot be stored.",
  document_refused: "The Document cannot be changed now, for example because its Project is archived.",
  label_unknown: "A label in the file does not exist; it stays in the file.",
} as const;
export type FileProblem = keyof typeof fileProblems;

const counted = [
  ...["documents_created", "documents_updated", "documents_moved", "documents_trashed"],
  ...["files_written", "files_removed", "conflicts", "problems"],
] as const;
export const Counts = object(
  Object.fromEntries(counted.map((name) => [name, Type.Integer()])) as Record<
    (typeof counted)[number],
    ReturnType<typeof Type.Integer>
  >,
);

export const RepositoryRun = object({
  id: Id,
  kind: Type.Enum([...runKinds]),
  state: Type.Enum([...runStates], {
    description: "cancelled: the synchronisation was paused or connected again during the run.",
  }),
  error_code: ErrorCode,
  requested_by_actor_id: {
    ...nullable(Id),
    description: "Actor who requested the run; null: it started automatically.",
  },
  counts: Counts,
  problems: Type.Array(object({ path: Type.String(), code: Type.Enum(Object.keys(fileProblems) as FileProblem[]) }), {
    description: `Files that were left as they are, the first 100.\n${Object.entries(fileProblems)
      .map(([code, says]) => `- \`${code}\`: ${says}`)
      .join("\n")}`,
  }),
  commit: { ...nullable(Type.String()), description: "Commit of the branch after the run." },
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
});

export const listKnowledgeRepositoryRuns = list(
  "GET /workspaces/{workspace_id}/knowledge-repository/runs",
  "List runs of the synchronisation, newest first",
  {
    description: "Needs documents:manage. Runs are retained for 30 days.",
    auth: [S],
    include: ["people"],
    items: RepositoryRun,
    errors: ["forbidden"],
  },
);

const accepting = {
  accept_removals: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Confirms that Documents of removed files move to the trash, however many they are.",
    }),
  ),
  accept_rewritten_history: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Confirms that the branch was rewritten on purpose: the synchronisation starts again with its " +
        "current content.",
    }),
  ),
};

export const syncKnowledgeRepository = op(
  "POST /workspaces/{workspace_id}/knowledge-repository/sync",
  "Synchronise with the knowledge repository now",
  {
    description: "Needs documents:manage. Returns the run, or the one that is already waiting.",
    auth: [S],
    status: 202,
    body: object(accepting),
    example: { accept_removals: false },
    returns: single(RepositoryRun),
    errors: ["repository_inactive"],
  },
);

export const importKnowledgeRepository = op(
  "POST /workspaces/{workspace_id}/knowledge-repository/import",
  "Import the knowledge repository for the first time",
  {
    description:
      "Needs documents:manage. Creates Documents from the files, whatever the direction is, and writes " +
      "nothing to the repository. Refused once a run has succeeded.",
    auth: [S],
    status: 202,
    returns: single(RepositoryRun),
    errors: ["repository_inactive", "repository_synchronized"],
  },
);
