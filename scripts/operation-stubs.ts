// Generates the stubs that `npm run new` appends: a declaration, a handler and a test. Parts that only a person knows
// are omitted in a way that fails a check: the reason in `unnamed`, the work of the handler, and its access rule if no
// sibling has one.
import type { NewOperation } from "./new-operation-input.ts";
import type { Rule } from "./sibling-operation.ts";
import { appended, imported } from "./source-edits.ts";

const sentence = (id: string) =>
  id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^\w/, (letter) => letter.toUpperCase());
const isList = ({ id, method }: NewOperation) => method === "GET" && /^(?:list|search)/.test(id);
const isCreation = ({ id, method }: NewOperation) => method === "POST" && /^(?:create|add)/.test(id);
const takesBody = (input: NewOperation) => isCreation(input) || input.method === "PATCH" || input.method === "PUT";

function declaration(input: NewOperation, tag: string | undefined): string {
  const { id, method, path } = input;
  const lines = [
    "auth: [S],",
    ...(tag === undefined ? [] : ["// Give the reason: contract/operations.json does not name this operation."]),
    ...(tag === undefined ? [] : ['unnamed: "",', `tag: "${tag}",`]),
    ...(isCreation(input) ? ["status: 201,", "creates: null,"] : []),
    ...(takesBody(input) ? ["body: object({ name: Name(80) }),", 'example: { name: "Name" },'] : []),
    ...(isList(input) ? ["items: object({ id: Id }),"] : method === "DELETE" ? [] : ["returns: object({ id: Id }),"]),
  ];
  const kind = isList(input) ? "list" : "op";
  return `export const ${id} = ${kind}("${method} ${path}", "${sentence(id)}", {\n  ${lines.join("\n  ")}\n});\n`;
}

/** Relative path from a file of contract/src or server/src up to that folder. */
const up = (file: string) => "../".repeat(file.split("/").length - 3);

/** `tag` of an operation that contract/operations.json does not name. */
export function withDeclaration(
  before: string | undefined,
  input: NewOperation,
  file: string,
  tag: string | undefined,
): string {
  const stub = declaration(input, tag);
  const types = ["Id", "Name", "object"].filter((name) => new RegExp(`\\b${name}\\b`).test(stub));
  const text = imported(before ?? `// ${sentence(input.id)}.\n`, `${up(file)}kit.ts`, [
    isList(input) ? "list" : "op",
    "S",
  ]);
  return appended(types.length > 0 ? imported(text, `${up(file)}types.ts`, types) : text, stub);
}

export function withHandler(before: string | undefined, input: NewOperation, file: string, rule?: Rule): string {
  const { id } = input;
  const implement = isList(input) ? "implementList" : "implement";
  const contract = file.replace("server/src", "@svc/contract");
  const opening = before ?? `// ${sentence(id)}.\nimport * as contract from "${contract}";\n`;
  const names = rule ? [implement] : ["account", implement];
  const withKernel = imported(opening, `${up(file)}platform/kernel/implement-operation.ts`, names);
  const text = [...(rule?.imports ?? [])].reduce((all, [module, needed]) => imported(all, module, needed), withKernel);
  const closed = "/** Refuses everybody until its access rule is written. */\n";
  const access = rule?.text ?? "{ ...account(), permits: () => false }";
  return appended(
    text,
    `${rule ? "" : closed}export const ${id} = ${implement}(contract.${id}, ${access}, async () => {
  throw new Error("${id} is not written yet");
});\n`,
  );
}

/** A first test, which needs only the fixture. */
export function withTest(before: string | undefined, { id, path }: NewOperation, file: string): string {
  const test = `${up(file)}../test`;
  const opening = imported(before ?? `// The rules of ${id}.\n`, "vitest", ["expect", "test"]);
  const withCall = imported(opening, `${test}/first-call.ts`, ["firstCall"]);
  const hasService = /^const .*\brunning\b/m.test(withCall);
  const text = hasService ? withCall : imported(withCall, `${test}/world.ts`, ["service"]);
  const [stranger, status] = path.includes("{") ? ["a member of another Workspace", 404] : ["nobody", 401];
  return appended(
    text,
    `${hasService ? "" : "const running = service();\n\n"}test("${id} answers whom it is for, and not ${stranger}", async () => {
  const { answer, refusal } = await firstCall(running, "${id}");
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(refusal.status, refusal.text).toBe(${status});
});\n`,
  );
}
