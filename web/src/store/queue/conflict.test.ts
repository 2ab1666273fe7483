// Nothing is overwritten: what others changed stays, and where both changed the same, both are shown.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { QueuedChange } from "./change.ts";
import { decided, merge, resolve } from "./conflict.ts";

const change = (input: Record<string, unknown>, saw: Record<string, unknown>): QueuedChange => ({
  key: "k",
  order: 1,
  operation: "updateTask",
  kind: "task",
  ids: ["a"],
  creates: null,
  at: { a: "1" },
  input: { task_id: "a", ...input },
  saw: { a: saw },
  guess: {},
  madeAt: 0,
  sentAt: null,
  state: "waiting",
});

test("a change of other fields goes on top of theirs", () => {
  const mine = change({ priority: "high" }, { priority: "none", updated_at: "before" });
  expect(resolve(mine, { revision: "2", priority: "none", title: "Theirs", updated_at: "now" })).toEqual({
    kind: "again",
    input: { task_id: "a", priority: "high" },
    at: "2",
  });
});

test("the same value twice is no conflict", () => {
  const mine = change({ label_ids: ["x"] }, { label_ids: [] });
  expect(resolve(mine, { revision: "2", label_ids: ["x"] }).kind).toBe("again");
});

test("the same field with two values is shown, yours and theirs", () => {
  const mine = change({ title: "Mine", priority: "low" }, { title: "Before", priority: "none" });
  expect(resolve(mine, { revision: "2", title: "Theirs", priority: "none" })).toEqual({
    kind: "both",
    input: { task_id: "a", title: "Mine", priority: "low" },
    fields: ["title"],
  });
});

test("what could be merged stays merged when another field has to be decided, and each field is decided by itself", () => {
  const before = { description_markdown: "a\nb\nc", start_date: "2026-01-01", due_date: "2026-01-02" };
  const mine = change({ description_markdown: "A\nb\nc", start_date: "2026-02-01", due_date: "2026-02-02" }, before);
  const row = { revision: "2", description_markdown: "a\nb\nC", start_date: "2026-03-01", due_date: "2026-03-02" };
  const found = resolve(mine, row);
  expect(found).toMatchObject({ kind: "both", fields: ["start_date", "due_date"] });
  const waits: QueuedChange = {
    ...mine,
    input: found.input,
    state: "conflict",
    theirs: { row, fields: ["start_date", "due_date"] },
  };
  expect(decided(waits, ["due_date"])).toMatchObject({
    input: { task_id: "a", description_markdown: "A\nb\nC", due_date: "2026-02-02" },
    at: { a: "2" },
    saw: { a: { due_date: "2026-03-02" } },
    state: "waiting",
  });
  expect(decided(waits, ["due_date"])?.input).not.toHaveProperty("start_date");
});

test("text is merged by lines, and a title never", () => {
  const mine = change({ description_markdown: "A\nb\nc\nd" }, { description_markdown: "a\nb\nc\nd" });
  expect(resolve(mine, { revision: "2", description_markdown: "a\nb\nc\nD" })).toMatchObject({
    kind: "again",
    input: { description_markdown: "A\nb\nc\nD" },
  });
  expect(resolve(mine, { revision: "2", description_markdown: "x\nb\nc\nd" }).kind).toBe("both");
});

test("merging keeps every line that only one of them wrote, and drops what one of them took out", () => {
  expect(merge("a\nb\nc", "a\nx\nb\nc", "a\nb\nc\ny")).toBe("a\nx\nb\nc\ny");
  expect(merge("a\nb\nc\nd\ne", "a\nc\nd\ne", "a\nb\nc\nd\nE")).toBe("a\nc\nd\nE");
  expect(merge("a\nb\nc", "a\nB\nc", "a\nB\nc")).toBe("a\nB\nc");
  expect(merge("a\nb\nc", "a\nB\nc", "a\nß\nc")).toBeNull();
  expect(merge("", "mine", "theirs")).toBeNull();
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 6 }).map((all) => all.join("\n"));
  fc.assert(
    fc.property(lines, lines, (before, mine) => {
      expect(merge(before, mine, before)).toBe(mine);
      expect(merge(before, before, mine)).toBe(mine);
      expect(merge(before, mine, mine)).toBe(mine);
    }),
  );
});
