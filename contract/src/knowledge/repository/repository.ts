// The knowledge repository: the one Git repository that a Workspace synchronises its Documents with.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Line, nullable, object, patch, policy, single, Timestamp } from "../../types.ts";
import { ErrorCode } from "./errors.ts";

const repositoryStates = ["disconnected", "active", "paused"] as const;
const directions = ["in", "out", "both"] as const;
const Direction = Type.Enum([...directions], {
  description:
    "in: from the repository to the Documents. out: the other way. both: changes on either side go to " + "the other.",
});

const url = Type.String({
  minLength: 10,
  maxLength: 2000,
  pattern: "^https?://[A-Za-z0-9.:\\[\\]-]+/[A-Za-z0-9._~%+/-]*[A-Za-z0-9_~-]$",
  description: "HTTPS clone URL, without a credential in it.",
});
const branch = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^[A-Za-z0-9_][A-Za-z0-9_+-]*(?:[./][A-Za-z0-9_+-]+)*$",
});
const folder = Type.String({
  maxLength: 400,
  pattern:
    "^(?:[A-Za-z0-9_\u00a1-\ud7ff][A-Za-z0-9_ .+\u00a1-\ud7ff-]*(?:/[A-Za-z0-9_\u00a1-\ud7ff][A-Za-z0-9_ " +
    ".+\u00a1-\ud7ff-]*)*)?$",
  description: "Folder that is synchronised; empty is the whole repository.",
});
const username = nullable(Line(200));
const credential = nullable(Type.String({ minLength: 1, maxLength: 2000, pattern: "^[\\x21-\\x7e]+$" }));

export const KnowledgeRepository = object({
  ...policy,
  state: Type.Enum([...repositoryStates], { description: "disconnected: there is no connection." }),
  url: nullable(Type.String()),
  branch: nullable(Type.String()),
  folder: nullable(Type.String()),
  direction: Type.Unsafe<(typeof directions)[number] | null>({ type: ["string", "null"], enum: [...directions, null] }),
  root_document_id: {
    ...nullable(Id),
    description: "Document below which everything is synchronised; null: all Documents that every member sees.",
  },
  username: nullable(Type.String()),
  has_credential: Type.Boolean({ description: "Whether a credential is stored; it is never shown." }),
  error_code: ErrorCode,
  commit: { ...nullable(Type.String()), description: "Last commit on which both sides agreed." },
  synchronized_at: {
    ...nullable(Timestamp),
    description: "Time of the last successful run; null: there is none, and no run starts automatically.",
  },
  open_conflicts: Type.Integer({ description: "Number of open conflicts, counted up to 1,000." }),
});

export const getKnowledgeRepository = op(
  "GET /workspaces/{workspace_id}/knowledge-repository",
  "Read the connection to the knowledge repository",
  { description: "Needs documents:manage.", auth: [S], returns: single(KnowledgeRepository), errors: ["forbidden"] },
);

export const connectKnowledgeRepository = op(
  "PUT /workspaces/{workspace_id}/knowledge-repository",
  "Connect the Workspace's Documents with a Git repository",
  {
    description:
      "Needs documents:manage and a recent authentication. Starts a new synchronisation, whatever was " +
      "connected before; Documents and files remain. Nothing is exchanged until the first import or " +
      "sync. After that, a change of a Document starts a run within seconds, and changes in the " +
      "repository are fetched every five minutes. Only Documents that every member sees leave the " +
      "Workspace, never those of a private Project.",
    auth: [S],
    recentAuth: true,
    body: object({
      url,
      branch: Type.Optional({ ...branch, default: "main" }),
      folder: Type.Optional({ ...folder, default: "" }),
      direction: Type.Optional({ ...Direction, default: "both" }),
      root_document_id: Type.Optional(nullable(Id)),
      username: Type.Optional({
        ...username,
        description: "User name, if the server requires one beside a token; git if omitted.",
      }),
      credential: Type.Optional({ ...credential, description: "A password or an access token. Stored encrypted." }),
    }),
    example: {
      url: "https://git.example.com/team/handbook.git",
      branch: "main",
      folder: "docs",
      direction: "both",
      credential: "a-token",
    },
    returns: single(KnowledgeRepository),
    errors: ["invalid_reference"],
  },
);

export const updateKnowledgeRepository = op(
  "PATCH /workspaces/{workspace_id}/knowledge-repository",
  "Change, pause or disconnect the knowledge repository",
  {
    description:
      "Needs documents:manage. Another branch or folder starts a new synchronisation there: files that " +
      "name a Document with the same content are matched, others become conflicts. disconnected removes " +
      "the credential, the conflicts and the matches; Documents and files remain.",
    auth: [S],
    ifMatch: "required",
    body: patch({
      state: Type.Enum([...repositoryStates]),
      branch,
      folder,
      direction: Direction,
      username,
      credential,
    }),
    example: { state: "paused" },
    returns: single(KnowledgeRepository),
    errors: ["repository_inactive"],
  },
);
