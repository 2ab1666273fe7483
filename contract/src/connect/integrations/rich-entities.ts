// Rich entities linked to a Task from other services: branches, commits, pull requests, errors, messages, frames.
import Type from "typebox";
import { list, M, S } from "../../kit.ts";
import { Id, nullable, object, ProviderKey, resource } from "../../types.ts";

export const richEntityKinds = [
  "branch",
  "commit",
  "pull_request",
  "issue",
  "error",
  "message",
  "frame",
  "delivery",
] as const;

export const RichEntity = object({
  ...resource,
  task_id: Id,
  provider_key: ProviderKey,
  kind: Type.Enum([...richEntityKinds]),
  title: Type.String(),
  url: { ...nullable(Type.String()), description: "Page at the provider; null if it has none." },
  state: Type.String({ description: "State as named by the provider: open, merged, closed, resolved …" }),
  checks: {
    ...nullable(Type.Enum(["pending", "passing", "failing"])),
    description: "Result of the provider's checks.",
  },
  author_name: { ...nullable(Type.String()), description: "Name of the author at the provider." },
});

export const listTaskRichEntities = list(
  "GET /tasks/{task_id}/rich-entities",
  "List the entities of other services on a Task",
  {
    description:
      "Lists entities in the order in which they were added. The provider's deliveries update them; a " +
      "Task has at most 500. A pull request of an unknown author is listed too, but moves nothing.",
    auth: [S, M],
    items: RichEntity,
  },
);
