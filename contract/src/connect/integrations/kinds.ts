// What Integrations tell of, in words that no provider owns.

/** What happens at a provider, and what happens here that a provider can be told. */
export const eventKinds = [
  "branch",
  "commit",
  "pull_request",
  "comment",
  "error",
  "message",
  "link",
  "task_created",
  "task_completed",
  "task_commented",
] as const;
export type EventKind = (typeof eventKinds)[number];
