// The Documents that an answer names are found by its links and under its quotations, each once.
import { expect, test } from "vitest";
import { documentsIn } from "./cited-documents.ts";

test("links of the assistant and quotations name Documents", () => {
  const text =
    "> Brass does not rust.\n\n— Brass (metals/brass)\n\nSee [the plan](svc://document/plan) and [it](svc://document/plan), [Oil](/workspaces/acme/documents/0199).";
  expect(documentsIn(text)).toEqual([
    { kind: "document", path: "plan", title: "the plan" },
    { kind: "document", path: "0199", title: "Oil" },
    { kind: "document", path: "metals/brass", title: "Brass" },
  ]);
});

test("other links, and what only looks like a source, name none", () => {
  const text =
    "[x](https://elsewhere.example) (metals/brass) — ENG-1 Cut (the gears)\n— crank.txt\n[x](svc://task/ENG-1)";
  expect(documentsIn(text)).toEqual([]);
});
