// Ids of what a run makes: every process derives the same ones.
import { expect, test } from "vitest";
import { newId } from "../../platform/wire/ids.ts";
import { derivedId } from "./rules.ts";

test("a derived id is a UUIDv7 of the run's time, the same for the same run and step, and another for any other", () => {
  const [run, other] = [newId(), newId()];
  const id = derivedId(run, "interaction 1");
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(id.slice(0, 13)).toBe(run.slice(0, 13));
  expect(derivedId(run, "interaction 1")).toBe(id);
  const others = [derivedId(run, "interaction 2"), derivedId(other, "interaction 1"), derivedId(id, "interaction 1")];
  expect(new Set([id, run, ...others]).size).toBe(5);
});
