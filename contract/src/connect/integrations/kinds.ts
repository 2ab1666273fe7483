// Event kinds of Integrations, independent of any provider.

/** Events at a provider, and events of this service that a provider can receive. */
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
