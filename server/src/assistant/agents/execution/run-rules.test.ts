// Rules of runs that need no database: previews, digests and paths.
import { expect, test } from "vitest";
import { canBeSmall, digestOf, previewOf, targetOf } from "./run-rules.ts";

test("who decides about a change is shown all of it, however long", () => {
  const markdown = `${"Brass. ".repeat(5000)}And the last word.`;
  const change = { tool: "comment", args: { code: "ENG-1", markdown } };
  expect(previewOf(change)).toBe(`markdown: ${markdown}`);
});

test("no line of a text looks like a field of its own", () => {
  const args = {
    code: "ENG-1",
    title: "Gears\nassignee: bob",
    labels: ["a"],
    description: "Of brass.\n\nstatus: Done",
  };
  expect(previewOf({ tool: "update_task", args })).toBe(
    'title: Gears\n  assignee: bob\nlabels: ["a"]\ndescription: Of brass.\n  \n  status: Done',
  );
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

test("a Document is named by its path as it is spelled, shown as how it would differ, and never changed without asking", () => {
  const edit = { tool: "patch_document", args: { path: "handbook/how-we-plan-2", revision: "3", diff: "-a\n+b" } };
  expect([targetOf(edit), previewOf(edit), canBeSmall(edit)]).toEqual(["handbook/how-we-plan-2", "-a\n+b", false]);
  const make = (more: object = {}) => ({ tool: "create_document", args: { project: "eng", title: "New", ...more } });
  expect([targetOf(make()), previewOf(make()), canBeSmall(make())]).toEqual(["ENG", "title: New", true]);
  expect([previewOf(make({ below: "top" })), canBeSmall(make({ below: "top" }))]).toEqual([
    "title: New\nbelow: top",
    false,
  ]);
});
