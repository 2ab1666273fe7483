// npm run new: which files it writes, what is left open in them, and which arguments it refuses. new.slow.test.ts
// writes them and type-checks the result.
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { added } from "./added-lines.ts";
import { plan } from "./new.ts";

test("a new resource of a domain has files of its own; nothing is proposed for what no other operation names", () => {
  const path = "/workspaces/{workspace_id}/things/{thing_id}/archive";
  const argv = ["archiveThing", "--method", "POST", "--path", path, "--domain", "tasks"];
  const files = added(...argv);
  expect(Object.keys(files)).toEqual([
    "contract/src/planning/tasks/things.ts",
    "server/src/planning/tasks/things.ts",
    "server/src/planning/tasks/things.test.ts",
    "server/test/fixtures/tasks.ts",
  ]);
  const [contract, server, own, fixture] = Object.values(files);
  expect(contract).toContain(`export const archiveThing = op("POST ${path}", "Archive thing", {`);
  expect(contract).toContain('unnamed: "",\n  tag: "Tasks",');
  expect(contract).toMatch(/^import \{ op, S \} from "\.\.\/\.\.\/kit\.ts";$/m);
  expect(server).toContain(
    "export const archiveThing = implement(contract.archiveThing, { ...account(), permits: () => false }",
  );
  expect(own).toContain('await firstCall(running, "archiveThing");');
  expect(own).toContain("const running = service();");
  expect(fixture?.trim()).toBe("archiveThing: {},");
  expect(plan(argv).proposals).toEqual([]);
});

test("method, path and domain follow from the name where they are left out", () => {
  const opened = (...argv: string[]) => /(?:op|list)\("[^"]+"/.exec(Object.values(added(...argv))[0] ?? "")?.[0];
  expect(opened("createThing", "--domain", "tasks")).toBe('op("POST /workspaces/{workspace_id}/things"');
  expect(opened("listThings", "--domain", "tasks")).toBe('list("GET /workspaces/{workspace_id}/things"');
  expect(opened("getThing", "--domain", "tasks")).toBe('op("GET /workspaces/{workspace_id}/things/{thing_id}"');
  expect(opened("deleteThing", "--domain", "tasks")).toBe('op("DELETE /workspaces/{workspace_id}/things/{thing_id}"');
  expect(Object.keys(added("pinTask", "--path", "/tasks/{task_id}/pin"))[0]).toMatch(
    /^contract\/src\/planning\/tasks\//,
  );
});

test("arguments with which nothing could be declared are refused in one line", () => {
  const refusal = (...argv: string[]) => {
    try {
      plan(argv);
    } catch (error) {
      return (error as Error).message;
    }
    return "accepted";
  };
  expect(refusal()).toMatch(/^npm run new <operation>/);
  expect(refusal("getLabel")).toBe(
    `getLabel exists: ${operations.get("getLabel")?.route}, declared in contract/src/planning/labels/definitions.ts`,
  );
  expect(refusal("Archive_thing")).toContain("a name is a verb and a noun");
  expect(refusal("archiveThing", "--domain", "taks")).toMatch(/^--domain taks: the nearest are tasks, /);
  expect(refusal("archiveThing")).toMatch(/^no domain has such a path: name one with --domain \(account, /);
  expect(refusal("archiveThing", "--method", "LOOK")).toContain("one of GET, PATCH, PUT, DELETE, POST");
  expect(refusal("readLabel", "--path", "/label-definitions/{id}")).toMatch(
    /^GET \/label-definitions\/\{id\} is getLabel, /,
  );
  for (const path of ["things", "/Things", "/things/", "/things/{thingId}", "/a/{b_id}/c/{b_id}", "/api/v1/things"])
    expect(refusal("archiveThing", "--domain", "tasks", "--path", path)).toMatch(/^--path /);
});
