// Converts the actions of a private connector between the form and JSON Schema. A schema that the form cannot represent
// stays unchanged.
import type { Operations } from "@svc/client";

type Sent = Parameters<Operations["createPrivateConnector"]>[0]["actions"][number];
type Told = Awaited<ReturnType<Operations["listInstallationActions"]>>["items"][number];
type Schema = Sent["input_schema"];

export const MOST_ACTIONS = 20;
export const MOST_FIELDS = 50;
export const fieldTypes = ["string", "integer", "number", "boolean"] as const;
export interface FieldDraft {
  id: string;
  name: string;
  type: (typeof fieldTypes)[number];
  required: boolean;
}
export interface ActionDraft {
  id: string;
  key: string;
  name: string;
  fields: FieldDraft[];
  /** Schema that the form cannot represent. */
  kept: Schema | null;
}

const draftId = () => crypto.randomUUID();
export const newField = (): FieldDraft => ({ id: draftId(), name: "", type: "string", required: false });
export const newAction = (): ActionDraft => ({ id: draftId(), key: "", name: "", fields: [newField()], kept: null });

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const has = (value: Record<string, unknown>, words: readonly string[]) =>
  Object.keys(value).every((word) => words.includes(word));

/** Form fields of a schema; null if the form cannot represent it. */
function fieldsOf(schema: Schema): FieldDraft[] | null {
  const { type, properties = {}, required = [] } = schema as Record<string, unknown>;
  if (type !== "object" || !isPlain(properties) || !has(schema, ["type", "properties", "required"])) return null;
  const fields = Object.entries(properties).map(([name, field]) => {
    const known = isPlain(field) && has(field, ["type"]) ? fieldTypes.find((each) => each === field.type) : undefined;
    return known && { id: draftId(), name, type: known, required: (required as string[]).includes(name) };
  });
  return fields.every((field) => field !== undefined) ? fields : null;
}

export function draftOf({ key, name, input_schema }: Told): ActionDraft {
  const fields = fieldsOf(input_schema);
  return { id: draftId(), key, name, fields: fields ?? [], kept: fields ? null : input_schema };
}

/** True for the later of two equal names: the schema can hold only one of them. */
export const isTaken = (names: readonly string[], at: number) =>
  names.indexOf(names[at] as string) < at && names[at] !== "";

export function sentOf({ key, name, fields, kept }: ActionDraft): Sent {
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const properties = Object.fromEntries(fields.map((field) => [field.name, { type: field.type }]));
  const schema = { type: "object", properties, ...(required.length > 0 && { required }) };
  return { key, ...(name.trim() && { name: name.trim() }), input_schema: kept ?? schema };
}
