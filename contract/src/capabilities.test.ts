// The vocabulary of capabilities: regular words, each about operations that exist, on every answer that is one
// resource.
import { expect, test } from "vitest";
import { capabilityWords } from "./capabilities.ts";
import { operations } from "./operations.ts";
import { Capabilities } from "./types.ts";

const words = Object.entries(capabilityWords);

test("every word is a noun and a verb, and says what it means", () => {
  for (const [word, [says]] of words) {
    expect(word).toMatch(/^[a-z]+(?:_[a-z]+)*:[a-z]+$/);
    expect(says, word).toMatch(/^[A-Z].+\.$/);
  }
});

test("every word is about operations that exist", () => {
  for (const [word, [, ...ids]] of words) {
    expect(ids.length, word).toBeGreaterThan(0);
    expect(
      ids.filter((id) => !operations.has(id)),
      word,
    ).toEqual([]);
  }
});

test("every answer that is one resource with an id says what can be done with it, in these words alone", () => {
  const silent = [...operations.values()].filter(({ kind, auth, schemas }) => {
    const { properties = {} } = (schemas.result ?? {}) as { properties?: Record<string, unknown> };
    return kind === "one" && !auth.includes("P") && "id" in properties && properties.capabilities !== Capabilities;
  });
  expect(silent.map(({ id }) => id)).toEqual([]);
});
