// The contract against the list of named operations.
import { expect, test } from "vitest";
import { type AnyOperation, collect, M, op, P, S, T } from "./kit.ts";
import { differences, namedOperations, OPERATIONS } from "./named-operations.ts";
import { tagFor } from "./openapi.ts";
import { operations } from "./operations.ts";

test("420 operations are named, each once", () => {
  expect(new Set(namedOperations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`)).size).toBe(
    OPERATIONS - 1,
  );
  expect(namedOperations).toHaveLength(OPERATIONS - 1);
});

test("every operation has the named path, method, credentials and stage", () => {
  expect([...operations.values()].flatMap(differences)).toEqual([]);
});

test("only the composed reads of the home page have the tag HomeWork, and webhooks have their own", () => {
  const tagged = (tag: string) => [...operations.values()].filter((operation) => tagFor(operation) === tag);
  expect(tagged("HomeWork").map(({ id }) => id)).toEqual(["getHomeWorkBaseline", "getOwnHomeWorkBaseline"]);
  expect(tagged("Webhooks")).toHaveLength(11);
});

test("the comparison sees another path, parameter, credential, stage or tag", () => {
  const planted = collect({
    unnamed: op("GET /gadgets", "x", { auth: [S] }),
    otherMethod: op("DELETE /me", "x", { auth: [S, M] }),
    otherParameter: op("GET /tasks/{id}", "x", { auth: [S, M, T, "C"] }),
    oneLess: op("GET /projects/{project_id}", "x", { auth: [S, M, T] }),
    oneMore: op("GET /me", "x", { auth: [S, M, T] }),
    notPublic: op("POST /auth/login", "x", { auth: [S] }),
    madePublic: op("POST /auth/logout", "x", { auth: [P] }),
    untagged: op("GET /gadgets/mine", "x", { auth: [S], unnamed: "y" }),
    otherTag: op("PATCH /me", "x", { auth: [S, M], tag: "People" }),
    otherStage: op("GET /auth/csrf", "x", { auth: [S], stage: "upcoming" }),
  });
  for (const operation of planted.values() as Iterable<AnyOperation>)
    expect(differences(operation), operation.id).toHaveLength(1);
});
