// Generates the client's types as a self-contained file for the package, from the contract's schemas, from which
// types.ts derives them. A test compares both.
import { type AnyOperation, nameOf } from "@svc/contract/kit.ts";
import { RealtimeChange, scopes, serverFrames } from "@svc/contract/surfaces/realtime/frames.ts";
import { callable } from "../src/routes.ts";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  description?: string;
}

/** Referenced names with their declarations; filled while types are written. */
type Named = Map<string, string>;

function typeOf(schema: Schema, named: Named, inside = false): string {
  const name = inside ? undefined : nameOf(schema);
  if (name && schema.properties) {
    if (!named.has(name)) {
      named.set(name, "");
      named.set(name, typeOf(schema, named, true));
    }
    return name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => typeOf(each, named)))].join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, named, true)).join(" | ");
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "array":
      return `(${schema.items ? typeOf(schema.items, named) : "unknown"})[]`;
    case "object":
      return fieldsOf(schema, named);
    case undefined:
      return "unknown";
    default:
      return schema.type;
  }
}

function fieldsOf(
  { properties, required = [], additionalProperties, patternProperties }: Schema,
  named: Named,
): string {
  const values = patternProperties ? Object.values(patternProperties)[0] : additionalProperties;
  if (!properties) return `Record<string, ${typeof values === "object" ? typeOf(values, named) : "unknown"}>`;
  const fields = Object.entries(properties).map(
    ([name, each]) =>
      `${comment(each.description)}${name}${required.includes(name) ? "" : "?"}: ${typeOf(each, named)};`,
  );
  return `{ ${fields.join(" ")} }`;
}

const comment = (text: string | undefined) => (text ? `/** ${text.replaceAll("*/", "* /")} */ ` : "");

function inputOf({ params, kind, raw, schemas: { query, body } }: AnyOperation, named: Named) {
  const parts = [...params.map((name) => ({ text: `${name}: string;`, needed: true }))];
  for (const schema of [query, raw ? undefined : body] as (Schema | undefined)[])
    for (const [name, each] of Object.entries(schema?.properties ?? {})) {
      const needed = schema?.required?.includes(name) ?? false;
      parts.push({ text: `${comment(each.description)}${name}${needed ? "" : "?"}: ${typeOf(each, named)};`, needed });
    }
  if (raw) parts.push({ text: "file: Blob;", needed: true });
  if (kind === "page") parts.push({ text: "cursor?: string; limit?: number;", needed: false });
  const needed = parts.some((part) => part.needed);
  return `input${needed ? "" : "?"}: { ${parts.map(({ text }) => text).join(" ")} }`;
}

function answerOf({ kind, csv, schemas: { result } }: AnyOperation, named: Named): string {
  const type = result ? typeOf(result as Schema, named) : "void";
  if (kind === "page") return `Pages<${type}>`;
  return `Promise<${csv ? "string" : type}>`;
}

/** Declares every operation and the types of their answers. */
export function declarations(): string {
  const named: Named = new Map();
  const methods = callable().map((operation) => {
    const { id, summary } = operation;
    return (
      `  ${comment(summary)}\n  ${id}(${inputOf(operation, named)}, options?: CallOptions): ` +
      `${answerOf(operation, named)};`
    );
  });
  const types = [...named].map(([name, type]) => `export interface ${name} ${type}`);
  return `${types.join("\n")}\nexport interface Operations {\n${methods.join("\n")}\n}\n`;
}

/** Declares the frames that the service sends on its socket. */
export function frameDeclarations(): string {
  const named: Named = new Map();
  const said = Object.values(serverFrames).map(({ schema }) => typeOf(schema as Schema, named));
  const types = [...named].map(([name, type]) => `export interface ${name} ${type}`);
  const words = scopes.map((scope) => JSON.stringify(scope));
  const change = `export interface RealtimeChange ${typeOf(RealtimeChange as Schema, named, true)}`;
  return (
    `${types.join("\n")}\n${change}\nexport type Scope = ${words.join(" | ")};\nexport type ServerFrame = ` +
    `${said.join(" | ")};\n`
  );
}
