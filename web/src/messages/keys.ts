// Keys of all messages: of those in the first chunk, and of those that some pages register (later/).
import type { en } from "./en.ts";

type Later =
  | typeof import("./en/agents.ts").agents
  | typeof import("./en/billing.ts").billing
  | typeof import("./en/documents.ts").documents
  | typeof import("./en/integrations.ts").integrations
  | typeof import("./en/projects.ts").projects
  | typeof import("./en/settings.ts").settings
  | typeof import("./en/tables.ts").tables
  | typeof import("./en/talk.ts").talk
  | typeof import("./en/tools.ts").tools
  | typeof import("./en/webhooks.ts").webhooks;
export type Key = keyof typeof en | (Later extends infer Texts ? (Texts extends object ? keyof Texts : never) : never);
export type Messages = Record<Key, string>;
/** Names of messages with plural forms, without `.one` and `.other`. */
export type Counted = Key extends infer K ? (K extends `${infer Name}.other` ? Name : never) : never;
