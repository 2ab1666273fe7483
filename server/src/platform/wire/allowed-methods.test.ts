// Methods that an address does not take are answered without a route for each.
import { expect, test } from "vitest";
import { allowedMethods, hiddenMethods, type RouterPath } from "./allowed-methods.ts";

const addresses: RouterPath[] = [
  { url: "/tasks/:id", methods: ["GET", "HEAD", "PATCH"] },
  { url: "/tasks/search", methods: ["GET", "HEAD"] },
  { url: "/tasks", methods: ["POST"] },
  { url: "/files/*", methods: ["GET", "HEAD"] },
  { url: "/files/:id/text", methods: ["PUT"] },
];

test("an address takes the methods of the path that the router prefers for it", () => {
  const allowed = allowedMethods(addresses);
  expect(allowed("/tasks/1")).toEqual(["GET", "HEAD", "PATCH"]);
  expect(allowed("/tasks/search")).toEqual(["GET", "HEAD"]);
  expect(allowed("/tasks")).toEqual(["POST"]);
  expect(allowed("/files/a/b/c")).toEqual(["GET", "HEAD"]);
  expect(allowed("/files/a/text")).toEqual(["PUT"]);
});

test("an address that nobody takes has no methods", () => {
  const allowed = allowedMethods(addresses);
  for (const path of ["/", "/task", "/tasks/", "/tasks/1/2", "/x/tasks", "/tasks.search"])
    expect(allowed(path), path).toBe(undefined);
});

test("only methods that a wider address takes need a route of their own", () => {
  expect(hiddenMethods(addresses)).toEqual([
    { url: "/tasks/search", methods: ["PATCH"] },
    { url: "/files/:id/text", methods: ["GET", "HEAD"] },
  ]);
});
