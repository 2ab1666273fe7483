// Conflicts of a synchronisation run: both sides changed the same content. Neither side is modified until a person
// resolves the conflict.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single } from "../../types.ts";

const conflictKinds = ["content", "location", "removal"] as const;
const side = (says: string) => ({ ...nullable(Type.String()), description: says });

export const RepositoryConflict = object({
  ...resource,
  kind: Type.Enum([...conflictKinds], {
    description:
      "content: both sides changed the same lines. location: both sides moved it to different places. " +
      "removal: one side removed what the other one changed.",
  }),
  state: Type.Enum(["open", "resolved"]),
  document_id: { ...nullable(Id), description: "Document of the conflict; null: it is permanently deleted." },
  path: Type.String({ description: "Path of the file, below the folder." }),
  base: side("Last version common to both sides; null: there is none. For a location conflict: the folder."),
  ours: side("Current Document, as a file; null: it is in the trash or deleted."),
  theirs: side("Current file in the repository; null: it is deleted."),
});

export const listKnowledgeRepositoryConflicts = list(
  "GET /workspaces/{workspace_id}/knowledge-repository/conflicts",
  "List open conflicts with the knowledge repository",
  {
    description: "Needs documents:manage. Lists the oldest first. A page ends early if the texts are long.",
    auth: [S],
    items: RepositoryConflict,
    errors: ["forbidden"],
  },
);

export const resolveKnowledgeRepositoryConflict = op(
  "POST /workspaces/{workspace_id}/knowledge-repository/conflicts/{conflict_id}/resolve",
  "Resolve a conflict with the knowledge repository",
  {
    description:
      "Needs documents:manage. The Document becomes the chosen version, and the next run writes it to " +
      "the repository. If the Document has changed since the conflict was found, it is refused with " +
      "repository_conflict_stale, and the next run shows the new conflict.",
    auth: [S],
    body: object({
      choice: Type.Enum(["base", "ours", "theirs", "merged"]),
      text: Type.Optional(
        Type.String({
          maxLength: 300_000,
          format: "text",
          description:
            "Complete merged file, including the lines between ---. Required with merged, refused otherwise.",
        }),
      ),
    }),
    example: { choice: "theirs" },
    returns: single(RepositoryConflict),
    errors: ["repository_inactive", "repository_conflict_stale", "invalid_resolution"],
  },
);
