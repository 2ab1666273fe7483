// npm run operations: the number of served operations by tag, and the missing ones.
import { entryFor, namedOperations, OPERATIONS } from "../contract/src/named-operations.ts";
import { operations } from "../contract/src/operations.ts";

const served = new Map([...operations.values()].map((operation) => [entryFor(operation), operation.id]));
const tags = [...new Set(namedOperations.map(({ tag }) => tag))];
const ofTag = (tag: string) => namedOperations.filter((entry) => entry.tag === tag);
const lines = tags.flatMap((tag) => {
  const all = ofTag(tag);
  const missing = all.filter((entry) => !served.has(entry));
  return [
    `${tag}: ${all.length - missing.length} of ${all.length}`,
    ...missing.map(({ method, path, stage }) => `    ${method.padEnd(6)} ${path}${stage ? ` (${stage})` : ""}`),
  ];
});
const count = namedOperations.filter((entry) => served.has(entry)).length;

console.log(lines.join("\n"));
console.log(
  `\n${count} of ${OPERATIONS} operations are served; ${namedOperations.length - count} of the named ones are missing.`,
);
