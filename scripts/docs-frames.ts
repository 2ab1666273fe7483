// The section of one frame in the generated page about the socket: its fields, those of the objects in it, and an
// example.
import type { Frame } from "@svc/contract/surfaces/realtime/frames.ts";
import { table } from "./docs-pages.ts";

type Fields = { properties?: Record<string, Field>; required?: string[] };
type Field = Fields & {
  type?: string | string[];
  description?: string;
  maxItems?: number;
  enum?: unknown[];
  items?: Field;
};

const kind = ({ type, enum: allowed }: Field) =>
  allowed ? allowed.join(", ") : [type ?? "string"].flat().join(" or ");
/** Lists each field in a row, followed by the fields of objects within it. */
const rowsOf = ({ properties = {}, required = [] }: Fields, prefix = ""): string[][] =>
  Object.entries(properties).flatMap(([name, field]) => [
    [
      `\`${prefix}${name}\`${required.includes(name) ? "" : " (optional)"}`,
      kind(field),
      [field.description ?? "", field.maxItems ? `At most ${field.maxItems}.` : ""].filter(Boolean).join(" "),
    ],
    ...rowsOf(field, `${prefix}${name}.`),
    ...rowsOf(field.items ?? {}, `${prefix}${name}[].`),
  ]);
function fieldsOf({ schema }: Frame): string {
  const { type: _, ...properties } = (schema as Fields).properties ?? {};
  const rows = rowsOf({ ...(schema as Fields), properties });
  return rows.length === 0 ? "No fields." : table(["Field", "Value", ""], rows);
}
export const section = (frame: Frame) =>
  `### ${frame.type}\n\n${frame.summary}\n\n${fieldsOf(frame)}\n\n\`\`\`json\n${JSON.stringify(frame.example)}\n\`\`\`\n`;
