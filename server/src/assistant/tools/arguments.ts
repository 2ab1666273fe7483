// Schema pieces for arguments of tools. They are short, because clients pay for every token of them.
import Type from "typebox";
import { More } from "./tool-output.ts";

export const reads = { readOnlyHint: true };
export const closed = { additionalProperties: false };
export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) });
export const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Default 20" }));
export const Cursor = Type.Optional(text(2000, "next_cursor of the last answer"));
export const GO_ON = "There are more: call again with cursor set to next_cursor.";
export const Page = { next_cursor: Type.Optional(Type.String()), more: More };
/** Any of these scopes. */
export const tasksRead = ["svc:read", "svc:tasks:read"];
export const Key = (description: string) => Type.String({ pattern: "^[A-Za-z][A-Za-z0-9]{1,9}$", description });
export const CallKey = Type.Optional(
  Type.String({ pattern: "^[!-~]{16,200}$", description: "Same key: happens once" }),
);
export const Code = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,16}$",
  description: "Such as ENG-12",
});
export const OptionalDay = Type.Optional(Type.String({ format: "date" }));
export const Moment = Type.Optional(Type.String({ description: "RFC 3339" }));
export const Version = Type.Integer({ minimum: 1 });
export const Id = Type.String({ format: "uuid" });
/** Result set that list_tasks has saved. */
export const ResultSet = Type.Object({ id: Id, version: Version }, closed);
export const words = <const T extends string>(values: readonly T[]) =>
  Type.Array(Type.Enum([...values]), { minItems: 1 });
