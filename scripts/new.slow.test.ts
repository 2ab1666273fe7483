// npm run new in a copy of the repository: what it writes is formatted, type-checks and is registered, npm run check
// says what is left to write, and passes once the declaration and the handler are written.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program, repositoryCopy } from "./repository-copy.ts";

const { copy, run } = repositoryCopy();
const LABEL = "/label-definitions/{label_id}";
const [contract, server] = ["contract/src/planning/labels/definitions.ts", "server/src/planning/labels/definitions.ts"];
const passes = { status: 0, output: expect.any(String) };
/** Replaces the stubs with a declaration and a handler, as a person would. */
function write(id: string, texts: Record<string, string>) {
  for (const [file, text] of Object.entries(texts)) {
    const before = readFileSync(join(copy, file), "utf8");
    const stub = new RegExp(`^export const ${id} = [\\s\\S]*?^\\}\\);\n`, "m");
    expect(before).toMatch(stub);
    writeFileSync(
      join(copy, file),
      before.replace(stub, () => text),
    );
  }
}
/** Every check of a complete operation passes, but for those that do not apply. */
async function expectComplete(id: string, absent: readonly string[]) {
  const { status, output } = await run("scripts/check.ts", id);
  const lines = [...output.matchAll(/^(passed|failed|does not apply) {2,}(\S+)/gm)];
  const named = (wanted: string) => lines.filter(([, state]) => state === wanted).map(([, , name]) => name);
  expect([named("failed"), named("does not apply").sort(), status], output).toEqual([[], absent, 0]);
  expect(named("passed"), output).toEqual(
    expect.arrayContaining(["contract", "role-matrix", "hidden", "explain", "own"]),
  );
}

test("what it writes is formatted, type-checks and is registered", async () => {
  const gadgets = ["--path", "/tasks/{task_id}/gadgets", "--file", "gadgets"];
  expect(await run("scripts/new.ts", "createTaskGadget", ...gadgets)).toEqual(passes);
  expect(await run("scripts/new.ts", "getLabelUse", "--path", `${LABEL}/use`)).toEqual(passes);
  expect(readFileSync(join(copy, "contract/src/operation-files.ts"), "utf8")).toContain("./planning/tasks/gadgets.ts");
  expect(await run("scripts/docs.ts", "--check")).toEqual(passes);
  const checks = [
    run(program("typescript", "bin/tsc"), "-p", ".", "--singleThreaded"),
    run(program("@biomejs/biome", "bin/biome"), "ci", "--error-on-warnings", "contract", "server"),
  ];
  for (const result of await Promise.all(checks)) expect(result).toEqual(passes);
});

test("then npm run check says what is left, and in which file", async () => {
  const { status, output } = await run("scripts/check.ts", "createTaskGadget");
  expect(output).toMatch(
    /^failed +declaration +createTaskGadget: POST .* is not named: say why in `unnamed` of contract\//m,
  );
  expect(output).toMatch(/^passed +fixture +server\/test\/fixtures\/work\.ts$/m);
  expect(status).toBe(1);
});

test("a read needs nothing but its declaration and its handler", async () => {
  write("getLabelUse", {
    [contract]: `
export const getLabelUse = op("GET ${LABEL}/use", "Read whether a label is used", {
  ...{ auth: [S], unnamed: "planted", tag: "Labels" },
  returns: object({ id: Id, used: Type.Boolean() }),
});`,
    [server]: `
const USED = "select exists (select from label_assignments where workspace_id = current_workspace() and label_id = $1) as used";
export const getLabelUse = implement(contract.getLabelUse, label("work:read"), async ({ tx }, { target }) => {
  const [row] = await tx.rows<{ used: boolean }>(USED, [target.id]);
  return { id: target.id, used: row?.used === true };
});`,
  });
  await expectComplete("getLabelUse", ["archived", "capabilities", "undoable"]);
});

test("a write needs nothing but its declaration and its handler", async () => {
  const { output } = await run("scripts/new.ts", "confirmLabel", "--path", `${LABEL}/confirm`);
  expect(output).toContain(`proposed: access rule label("work:manage") in ${server}, as updateLabel has it`);
  write("confirmLabel", {
    [contract]: `
export const confirmLabel = op("POST ${LABEL}/confirm", "Confirm that a label is still wanted", {
  ...{ auth: [S], unnamed: "planted", tag: "Labels" },
  returns: object({ id: Id }),
  errors: ["project_archived"],
});`,
    [server]: `
const CONFIRM = "update label_definitions set updated_at = now() where workspace_id = current_workspace() and id = $1";
const confirmed = (await import("../../platform/kernel/events.ts")).event("label.confirmed");
export const confirmLabel = implement(contract.confirmLabel, label("work:manage"), async (context, { target }) => {
  context.record(confirmed({ kind: "label", id: target.id, projectId: target.project_id }, {}));
  context.defer(context.tx.rows(CONFIRM, [target.id]));
  return { id: target.id };
});`,
  });
  await expectComplete("confirmLabel", ["archived", "capabilities"]);
});
