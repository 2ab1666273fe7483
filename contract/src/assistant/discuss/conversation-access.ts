// Declarations that the operations of Discuss share. A conversation belongs to one membership; nobody else, not even an
// owner of the Workspace, learns that it exists.
import { C, S, T } from "../../kit.ts";

export const reading = { auth: [S, T, C], private: true, scope: "svc:discuss" } as const;
export const writing = {
  ...reading,
  quiet: "The conversation is private to its member: nobody else is notified.",
} as const;
