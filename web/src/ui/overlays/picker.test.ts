// What is typed finds an option by the beginnings of its words first, whatever the case and the accents.
import { expect, test } from "vitest";
import { narrowed } from "./picker.tsx";

const options = ["Ada Lovelace", "Zoë Marlow", "Charles Babbage", "Lobelia"].map((label) => ({ id: label, label }));
const found = (typed: string) => narrowed(options, typed).map(({ label }) => label);

test("nothing typed shows all in their order; every word must be found", () => {
  expect(found(" ")).toHaveLength(4);
  expect(found("lo")).toEqual(["Lobelia", "Ada Lovelace", "Zoë Marlow"]);
  expect(found("zoe m")).toEqual(["Zoë Marlow"]);
  expect(found("ada babbage")).toEqual([]);
});
