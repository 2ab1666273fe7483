// What is decided about runs without asking anybody.
import { expect, test } from "vitest";
import { digestOf, previewOf } from "./run-rules.ts";

test("who decides about a change is shown all of it, however long", () => {
  const markdown = `${"Brass. ".repeat(5000)}And the last word.`;
  const change = { tool: "comment", args: { code: "ENG-1", markdown } };
  expect(previewOf(change)).toBe(`markdown: ${markdown}`);
});

test("a digest is of exactly this change of exactly this run, in whatever order its fields come", () => {
  const change = { tool: "update_task", args: { code: "ENG-1", title: "Gears", priority: "high" } };
  const same = { tool: "update_task", args: { priority: "high", title: "Gears", code: "ENG-1" } };
  expect(digestOf("run", "action", same)).toBe(digestOf("run", "action", change));
  const others = [
    digestOf("another", "action", change),
    digestOf("run", "another", change),
    digestOf("run", "action", { ...change, tool: "comment" }),
    digestOf("run", "action", { ...change, args: { ...change.args, title: "Axles" } }),
  ];
  expect(new Set([digestOf("run", "action", change), ...others]).size).toBe(5);
});
