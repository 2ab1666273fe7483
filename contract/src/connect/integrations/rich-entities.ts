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
  url: { ...nullable(Type.String()), description: "Where it is there; null where it has no address." },
  state: Type.String({ description: "In the provider's own word: open, merged, closed, resolved …" }),
  checks: {
    ...nullable(Type.Enum(["pending", "passing", "failing"])),
    description: "What the provider's checks say of it.",
  },
  author_name: { ...nullable(Type.String()), description: "As the provider calls them." },
});

export const listTaskRichEntities = list(
  "GET /tasks/{task_id}/rich-entities",
  "List what stands at a Task from other services",
  {
    description:
      "In the order in which they came. They follow what the provider tells; a Task has 500 at most. " +
      "A pull request of somebody whom nobody knows stands here too, and moves nothing.",
    auth: [S, M],
    items: RichEntity,
  },
);
