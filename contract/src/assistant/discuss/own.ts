// What the operations of Discuss share: a conversation belongs to one membership, and nobody else, an owner of the Workspace neither, learns that there is one.
import { C, S, T } from "../../kit.ts";

export const reading = { auth: [S, T, C], private: true, scope: "svc:discuss" } as const;
export const writing = {
  ...reading,
  quiet: "The conversation is private to its member: nobody else is told of it.",
} as const;
