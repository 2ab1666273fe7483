// Normalises values with several spellings before they are compared and stored: ids in capitals, names with space
// around them.
import { formats } from "@svc/contract/types.ts";

export interface Shape {
  format?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
}
/** Normalisers by format: an id in capitals would look like a change, and a name may have space around it. */
const spellings: Record<string, (value: string) => string> = {
  uuid: (value) => value.toLowerCase(),
  name: (value) => value.trim(),
  title: (value) => value.trim(),
};
const known = new WeakMap<Shape, boolean>();
/** Whether a value of this shape contains anything to normalise. */
function varies(shape: Shape): boolean {
  let found = known.get(shape);
  if (found === undefined) {
    const { format = "", items, properties = {} } = shape;
    found = format in spellings || (items !== undefined && varies(items)) || Object.values(properties).some(varies);
    known.set(shape, found);
  }
  return found;
}

export function spelled(shape: Shape, value: unknown): unknown {
  if (value === null || !varies(shape)) return value;
  if (typeof value === "string") return spellings[shape.format ?? ""]?.(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => spelled(shape.items ?? {}, item));
  if (typeof value !== "object") return value;
  const { properties = {} } = shape;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, spelled(properties[name] ?? {}, part)]));
}

/** Identifiers are compared as text, so they are normalised to the spelling that the database returns. */
export const normalised = ({ properties = {} }: Shape, params: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      properties[name]?.format === "uuid" && isUuid(value) ? value.toLowerCase() : value,
    ]),
  );
export const isUuid = (value: string) => formats.uuid?.(value) === true;
