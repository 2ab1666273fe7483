// Objects of Git that the service writes, held against those that Git writes.
import { expect, test } from "vitest";
import { treeOf } from "./objects.ts";

const BLOB = "c1b0730e0133447badcfd47fd144e254807b06e1";
const TREE = "f115c6d5cfb15ca1a72429900dcaca0fd1057951";
const file = (path: string) => ({ mode: "100644", path, oid: BLOB, type: "blob" as const });

test("a tree is the one that git mktree makes, in whichever order its entries are given", () => {
  // A folder is sorted as if its name ended with a slash: after "a.md" and before "a0".
  const entries = [
    file("a-b"),
    file("a.md"),
    { mode: "040000", path: "a", oid: TREE, type: "tree" as const },
    file("a0"),
  ];
  for (const given of [entries, entries.toReversed()])
    expect(treeOf(given).oid).toBe("f2e8d6139d7de7b4d3be8cf7d067a2261bb9e95b");
});
