// Declarations that the private parts of Discuss share: each belongs to one membership, is reached only from a browser
// session, and is inaccessible to an owner of the Workspace.
import { S } from "../../kit.ts";

export const reading = { auth: [S], private: true } as const;
export const writing = {
  ...reading,
  quiet: "It is private to its member; nobody else is notified.",
} as const;
