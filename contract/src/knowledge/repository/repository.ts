// The knowledge repository: the one Git repository that a Workspace synchronises its Documents with.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Line, nullable, object, patch, policy, single, Timestamp } from "../../types.ts";
import { ErrorCode } from "./errors.ts";

const repositoryStates = ["disconnected", "active", "paused"] as const;
const directions = ["in", "out", "both"] as const;
const Direction = Type.Enum([...directions], {
  description:
    "in: from the repository to the Documents. out: the other way. both: what changed on either side goes " +
    "to the other.",
});

const url = Type.String({
  minLength: 10,
  maxLength: 2000,
  pattern: "^https?://[A-Za-z0-9.:\\[\\]-]+/[A-Za-z0-9._~%+/-]*[A-Za-z0-9_~-]$",
  description: "As it is cloned over HTTPS, without a credential in it.",
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
  description: "Everything happens below it; empty is the whole repository.",
});
const username = nullable(Line(200));
const credential = nullable(Type.String({ minLength: 1, maxLength: 2000, pattern: "^[\\x21-\\x7e]+$" }));

export const KnowledgeRepository = object({
  ...policy,
  state: Type.Enum([...repositoryStates], { description: "disconnected: there is none." }),
  url: nullable(Type.String()),
  branch: nullable(Type.String()),
  folder: nullable(Type.String()),
  direction: Type.Unsafe<(typeof directions)[number] | null>({ type: ["string", "null"], enum: [...directions, null] }),
  root_document_id: {
    ...nullable(Id),
    description: "Only what is below this Document; null: all that every member sees.",
  },
  username: nullable(Type.String()),
  has_credential: Type.Boolean({ description: "The credential itself is never shown." }),
  error_code: ErrorCode,
  commit: { ...nullable(Type.String()), description: "The one that both sides agreed on last." },
  synchronized_at: {
    ...nullable(Timestamp),
    description: "When a run last ended well; null: none has, and none begins by itself.",
  },
  open_conflicts: Type.Integer({ description: "Counted up to 1,000." }),
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
      "Needs documents:manage and a recent proof. Begins anew, whatever was connected before; " +
      "Documents and files stay. Nothing is exchanged until the first import or sync. " +
      "From then on a change here starts a run within seconds, and what changed in the repository is fetched " +
      "every five minutes. Only Documents that every member sees leave the Workspace: " +
      "none of a private Project does.",
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
        description: "Where the server asks for one beside a token; git where it is left out.",
      }),
      credential: Type.Optional({ ...credential, description: "A password or an access token. Kept sealed." }),
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
      "Needs documents:manage. Another branch or folder begins anew there: files that name a Document and say the " +
      "same are recognised, others become conflicts. disconnected forgets the credential, the conflicts and " +
      "what belonged together; Documents and files stay.",
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
