// The stubs that `npm run new` appends: a declaration, a handler and a test. What only a person knows is left out in a way that fails a check: the
// reason in `unnamed`, the access rule, the handler and the rules in the test.
import type { NewOperation } from "./new-operation-input.ts";
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

/** The folders from a file of contract/src or server/src up to it. */
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

export function withHandler(before: string | undefined, input: NewOperation, file: string): string {
  const { id } = input;
  const implement = isList(input) ? "implementList" : "implement";
  const contract = file.replace("server/src", "@svc/contract");
  const opening = before ?? `// ${sentence(id)}.\nimport * as contract from "${contract}";\n`;
  return appended(
    imported(opening, `${up(file)}kernel/implement.ts`, ["account", implement]),
    `/** Refuses everybody until its access rule is written. */
export const ${id} = ${implement}(contract.${id}, { ...account(), permits: () => false }, async () => {
  throw new Error("${id} is not written yet");
});\n`,
  );
}

export function withTest(before: string | undefined, { id }: NewOperation): string {
  return appended(
    imported(before ?? `// The rules of ${id}.\n`, "vitest", ["expect", "test"]),
    `test("${id} changes what it should, and refuses everything else", () => {
  expect.fail("Write the rules of ${id} as tests instead of this one.");
});\n`,
  );
}
