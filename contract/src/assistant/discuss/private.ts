// What the private parts of Discuss share: each is one membership's alone, from a browser session, and an owner of the Workspace has no part in it.
import { S } from "../../kit.ts";

export const reading = { auth: [S], private: true } as const;
export const writing = {
  ...reading,
  quiet: "It is private to its member, and nobody else hears of it.",
} as const;
