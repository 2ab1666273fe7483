// The editor writes what the service takes: its schema is that of document/, name by name, content by content and
// attribute by attribute.
import { schema } from "@svc/document/schema.ts";
import { getSchema } from "@tiptap/core";
import { EditorState } from "@tiptap/pm/state";
import { expect, test } from "vitest";
import { sliceOfMarkdown } from "./clipboard.ts";
import { blocks } from "./commands.ts";
import { extensionsOfSchema } from "./extensions.ts";
import { isSafeAddress } from "./safe-address.ts";
import { addColumn, addRow, insertTable, isInTable, placeIn, removeColumn, removeRow, walk } from "./tables.ts";

const ours = getSchema(extensionsOfSchema());
const shape = (from: typeof ours) => ({
  nodes: Object.values(from.nodes).map((type) => ({
    name: type.name,
    content: type.spec.content ?? "",
    group: type.spec.group ?? "",
    inline: type.isInline,
    marks: type.spec.marks,
    code: type.spec.code ?? false,
    isolating: type.spec.isolating ?? false,
    defining: type.spec.defining ?? false,
    attrs: attributes(type.spec.attrs),
  })),
  marks: Object.values(from.marks).map(({ name, spec }) => ({
    name,
    inclusive: spec.inclusive ?? true,
    attrs: attributes(spec.attrs),
  })),
});
const attributes = (specs: Record<string, { default?: unknown }> = {}) =>
  Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, "default" in spec ? { default: spec.default } : "required"]),
  );

test("every node and mark of the schema is in the editor, and nothing else", () => {
  expect(shape(ours)).toEqual(shape(schema as never));
});

test("a link leads to the web, to mail or into the service, as a browser reads its address", () => {
  const hrefOf = (href: string) => {
    const drawn = ours.marks.link?.spec.toDOM?.(ours.mark("link", { href, title: null }), true);
    return (drawn as unknown as [string, { href?: string }])[1].href;
  };
  for (const href of ["https://a.example", "HTTP://a.example", "mailto:a@b.example", "/tasks/1", "/", "#section-1"])
    expect([hrefOf(href), isSafeAddress(href)]).toEqual([href, true]);
  const elsewhere = ["//evil.example", "/\\evil.example", "/\t/evil.example", " //evil.example", "/\n\\evil.example"];
  for (const href of [...elsewhere, "javascript:alert(1)", "java\tscript:alert(1)", "\\\\evil.example", ""])
    expect([hrefOf(href), isSafeAddress(href)], JSON.stringify(href)).toEqual([undefined, false]);
});

const stateOf = (markdown = "") => {
  const empty = EditorState.create({ schema: ours });
  return empty.apply(empty.tr.replaceSelection(sliceOfMarkdown(ours, markdown)));
};
const after = (state: EditorState, ...commands: (typeof blocks)[number]["run"][]) =>
  commands.reduce((before, command) => {
    let next = before;
    expect(
      command(before, (tr) => {
        next = before.apply(tr);
      }),
    ).toBe(true);
    return next;
  }, state);
const sizeOf = (state: EditorState) => {
  const table = placeIn(state)?.table;
  return [
    table?.childCount,
    ...Array.from({ length: table?.childCount ?? 0 }, (_, row) => table?.child(row).childCount),
  ];
};

test("each block of the menu leaves a document that the schema allows", () => {
  for (const { id, run } of blocks) {
    let state = stateOf("words");
    const isDone = run(state, (tr) => {
      state = state.apply(tr);
    });
    expect(isDone, id).toBe(id !== "text");
    expect(() => state.doc.check(), id).not.toThrow();
  }
});

test("a table grows and shrinks by rows and columns, its head stays, and Tab walks through it and on", () => {
  const state = after(stateOf(), insertTable);
  expect(sizeOf(state)).toEqual([3, 3, 3, 3]);
  expect(sizeOf(after(state, addRow, addColumn))).toEqual([4, 4, 4, 4, 4]);
  expect(removeRow(state), "of the head").toBe(false);
  expect(sizeOf(after(state, walk(1), removeColumn, walk(1), walk(1), removeRow))).toEqual([2, 2, 2]);
  const last = after(state, ...Array.from({ length: 8 }, () => walk(1)));
  expect(placeIn(last)).toMatchObject({ row: 2, column: 2 });
  const grown = after(last, walk(1));
  expect([placeIn(grown)?.row, placeIn(grown)?.column, sizeOf(grown)[0]]).toEqual([3, 0, 4]);
  expect(walk(-1)(state)).toBe(false);
  expect([isInTable(stateOf()), addRow(stateOf())]).toEqual([false, false]);
  grown.doc.check();
});
