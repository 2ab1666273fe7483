// npm run new: which files it writes, what is left open in them, and which arguments it refuses. new.slow.test.ts writes them and type-checks the result.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { rowsOf } from "../server/test/role-matrix.ts";
import { plan } from "./new.ts";
import { root } from "./operation-files-of.ts";

const before = (path: string) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8").split("\n") : [];
/** The lines that each file gains, and none that it loses but imports. */
function added(...argv: string[]): Record<string, string> {
  const gained = [...plan(argv).texts].map(([path, text]) => {
    const [old, now] = [before(path), text.split("\n")];
    expect(old.filter((line) => !now.includes(line) && !line.startsWith("import"))).toEqual([]);
    return [path, now.filter((line) => !old.includes(line)).join("\n")];
  });
  return Object.fromEntries(gained);
}

test("a new resource of a domain has files of its own; a person writes what is open in them", () => {
  const path = "/workspaces/{workspace_id}/things/{thing_id}/archive";
  const files = added("archiveThing", "--method", "POST", "--path", path, "--domain", "tasks");
  expect(Object.keys(files)).toEqual([
    "contract/src/tasks/things.ts",
    "server/src/tasks/things.ts",
    "server/src/tasks/things.test.ts",
    "server/test/fixtures/tasks.ts",
    "server/test/role-matrix.ts",
  ]);
  const [contract, server, own, fixture, row] = Object.values(files);
  expect(contract).toContain(`export const archiveThing = op("POST ${path}", "Archive thing", {`);
  expect(contract).toContain('unnamed: "",\n  tag: "Tasks",');
  expect(contract).toMatch(/^import \{ op, S \} from "\.\.\/kit\.ts";$/m);
  expect(server).toContain(
    "export const archiveThing = implement(contract.archiveThing, { ...account(), permits: () => false }",
  );
  expect(own).toContain("expect.fail(");
  expect(fixture?.trim()).toBe("archiveThing: {},");
  expect(row).toMatch(/^POST {3}W\/things\/\{thing_id\}\/archive( +\?){7}$/);
  const heading = "owner admin member viewer outsider suspended removed";
  expect(rowsOf("workspace", `${heading}\n${row}`)[0]?.route).toBe(`POST ${path}`);
});

test("an operation on a resource that exists goes into its files, and imports what they lack", () => {
  const files = added("listLabelUses", "--path", "/label-definitions/{label_id}/uses");
  expect(Object.keys(files)).toEqual([
    "contract/src/labels/definitions.ts",
    "server/src/labels/definitions.ts",
    "server/src/labels/definitions.test.ts",
    "server/test/fixtures/labels.ts",
    "server/test/role-matrix-beside.ts",
  ]);
  const [contract, server, , , row] = Object.values(files);
  expect(contract).toContain(
    'export const listLabelUses = list("GET /label-definitions/{label_id}/uses", "List label uses", {',
  );
  expect(server).toContain("implementList(contract.listLabelUses,");
  expect(server).toMatch(/^import \{.*\baccount\b.*\} from "\.\.\/kernel\/implement\.ts";$/m);
  expect(row).toMatch(/^GET {4}\/label-definitions\/\{label_id\}\/uses( +\?){13}$/);
});

test("method, path and domain follow from the name where they are left out", () => {
  const opened = (...argv: string[]) => /(?:op|list)\("[^"]+"/.exec(Object.values(added(...argv))[0] ?? "")?.[0];
  expect(opened("createThing", "--domain", "tasks")).toBe('op("POST /workspaces/{workspace_id}/things"');
  expect(opened("listThings", "--domain", "tasks")).toBe('list("GET /workspaces/{workspace_id}/things"');
  expect(opened("getThing", "--domain", "tasks")).toBe('op("GET /workspaces/{workspace_id}/things/{thing_id}"');
  expect(opened("deleteThing", "--domain", "tasks")).toBe('op("DELETE /workspaces/{workspace_id}/things/{thing_id}"');
  expect(Object.keys(added("pinTask", "--path", "/tasks/{task_id}/pin"))[0]).toMatch(/^contract\/src\/tasks\//);
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
    `getLabel exists: ${operations.get("getLabel")?.route}, declared in contract/src/labels/definitions.ts`,
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
