// npm run new: what it proposes for a new operation from the one that resembles it most.
import { expect, test } from "vitest";
import { rowsOf } from "../server/test/role-matrix.ts";
import { besideRows } from "../server/test/role-matrix-beside.ts";
import { added } from "./added-lines.ts";
import { plan } from "./new.ts";

test("an operation on a resource that exists goes into its files, and is proposed the access rule and the row of its sibling", () => {
  const argv = ["archiveLabel", "--path", "/label-definitions/{label_id}/archive"];
  const files = added(...argv);
  expect(Object.keys(files)).toEqual([
    "contract/src/planning/labels/definitions.ts",
    "server/src/planning/labels/definitions.ts",
    "server/src/planning/labels/definitions.test.ts",
    "server/test/fixtures/labels.ts",
    "server/test/role-matrix-beside.ts",
  ]);
  const [contract, server, own, , row = ""] = Object.values(files);
  expect(contract).toContain(
    'export const archiveLabel = op("POST /label-definitions/{label_id}/archive", "Archive label", {',
  );
  expect(server).toContain('implement(contract.archiveLabel, label("work:manage"), async');
  expect(own).not.toContain("service()");
  const heading = "owner admin member viewer outsider suspended removed manager lead partner reader stranger guest";
  const cellsOf = (line: string) => rowsOf("project", `${heading}\n${line}`)[0];
  const sibling = besideRows.find(({ route }) => route === "PATCH /label-definitions/{label_id}");
  expect(cellsOf(row)).toEqual({ ...sibling, route: "POST /label-definitions/{label_id}/archive" });
  const as = "as updateLabel has it (PATCH /label-definitions/{label_id})";
  expect(plan(argv).proposals).toEqual([
    `access rule label("work:manage") in server/src/planning/labels/definitions.ts, ${as}`,
    `row of roles in server/test/role-matrix-beside.ts, ${as}: compare it with the specification`,
  ]);
});

test("in another file the access rule of the sibling is imported", () => {
  const [, server] = Object.values(
    added("createTaskGadget", "--path", "/tasks/{task_id}/gadgets", "--file", "gadgets"),
  );
  expect(server).toContain('implement(contract.createTaskGadget, insideTask("work:write"), async');
  expect(server).toMatch(/^import \{ insideTask \} from ".*access\.ts";$/m);
});

test("an access rule that only the sibling's file has is not proposed elsewhere", () => {
  const path = "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}/cost";
  const [, server] = Object.values(added("getAgentRunCost", "--path", path));
  expect(server).toContain("permits: () => false");
});

test("where the sibling's call needs something made, that of the new operation takes it over", () => {
  const fixtureOf = (...argv: string[]) =>
    Object.entries(added(...argv)).find(([file]) => file.includes("/fixtures/"))?.[1];
  const path = "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}";
  expect(fixtureOf("getAgentRunCost", "--path", `${path}/cost`)?.trim()).toMatch(
    /^getAgentRunCost: \{ like: "\w+" \},$/,
  );
  expect(fixtureOf("getLabelUse", "--path", "/label-definitions/{label_id}/use")?.trim()).toBe("getLabelUse: {},");
});
