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
      "content: the same lines changed on both sides. location: both sides moved it, each elsewhere. removal: " +
      "one side removed what the other one changed.",
  }),
  state: Type.Enum(["open", "resolved"]),
  document_id: { ...nullable(Id), description: "Null: it is gone for good." },
  path: Type.String({ description: "Of the file, below the folder." }),
  base: side("As both sides had it last; null: they never had it in common. Of a location: the folder."),
  ours: side("The Document as it is here, as a file; null: it is in the trash or gone."),
  theirs: side("The file as it is in the repository; null: it is gone."),
});

export const listKnowledgeRepositoryConflicts = list(
  "GET /workspaces/{workspace_id}/knowledge-repository/conflicts",
  "List open conflicts with the knowledge repository",
  {
    description: "Needs documents:manage. The oldest first. A page ends early where the texts are long.",
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
      "Needs documents:manage. The Document becomes what was chosen, and the next run brings it to the " +
      "repository. Where the Document has changed since the conflict was found, it is refused with " +
      "repository_conflict_stale: the next run shows it anew.",
    auth: [S],
    body: object({
      choice: Type.Enum(["base", "ours", "theirs", "merged"]),
      text: Type.Optional(
        Type.String({
          maxLength: 300_000,
          format: "text",
          description: "With merged, and only then: the file as it shall be, with its lines between ---.",
        }),
      ),
    }),
    example: { choice: "theirs" },
    returns: single(RepositoryConflict),
    errors: ["repository_inactive", "repository_conflict_stale", "invalid_resolution"],
  },
);
