// Narrows the validator's errors about a tagged union to the shape that the value names. The validator reports the
// errors of every shape, so a missing member of one shape would be reported beside members that only the other shapes
// have.
import type { ErrorObject } from "ajv";

interface Shape {
  properties?: Record<string, { enum?: readonly unknown[] } | undefined>;
}
const TAGS = ["kind", "type", "action"];
const valuesOf = (shape: Shape, tag: string) => shape.properties?.[tag]?.enum ?? [];
/** Name of the member that distinguishes all shapes. */
const tagOf = (shapes: readonly Shape[]) =>
  TAGS.find((tag) => shapes.every((shape) => valuesOf(shape, tag).length > 0));

const isUnion = ({ keyword }: ErrorObject) => keyword === "anyOf" || keyword === "oneOf";
const isWithin = (path: string, above: string) => path === above || path.startsWith(`${above}/`);

function narrowedTo(union: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const shapes = union.schema as readonly Shape[];
  const tag = tagOf(shapes);
  if (tag === undefined) return errors;
  const isOf = (error: ErrorObject, schemaPath: string) =>
    isWithin(error.schemaPath, schemaPath) && isWithin(error.instancePath, union.instancePath);
  const others = errors.filter((error) => !isOf(error, union.schemaPath));
  const value = union.data as Record<string, unknown> | null;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [...others, { ...union, keyword: "type", message: "must be object" }];
  const named = shapes.findIndex((shape) => valuesOf(shape, tag).includes(value[tag]));
  if (named >= 0) return [...others, ...errors.filter((error) => isOf(error, `${union.schemaPath}/${named}`))];
  if (!Object.hasOwn(value, tag))
    return [
      ...others,
      {
        ...union,
        keyword: "required",
        params: { missingProperty: tag },
        message: `must have required property '${tag}'`,
      },
    ];
  const allowedValues = shapes.flatMap((shape) => valuesOf(shape, tag));
  const instancePath = `${union.instancePath}/${tag}`;
  return [
    ...others,
    {
      ...union,
      keyword: "enum",
      instancePath,
      params: { allowedValues },
      message: "must be equal to one of the allowed values",
    },
  ];
}

export const narrowed = (errors: readonly ErrorObject[]): readonly ErrorObject[] =>
  errors.filter(isUnion).reduce<readonly ErrorObject[]>((left, union) => narrowedTo(union, left), errors);
