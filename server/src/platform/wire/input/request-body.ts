// Parses a request body as its operation declares it: JSON, a form, a file, or none.
import type { IncomingMessage } from "node:http";
import { type AnyOperation, ignoresUnknown } from "@svc/contract/kit.ts";
import Type from "typebox";
import { type Fault, refuse } from "../problem.ts";
import { type Shape, spelled } from "./spelling.ts";
import { faultsIn, parseForm, parseJson } from "./validation.ts";

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/i;
const NO_MEMBERS = Type.Object({}, { additionalProperties: false });

/** Adds the faults of the body to `faults`. Throws if it cannot be read at all. */
export function parseBody(operation: AnyOperation, request: IncomingMessage, bytes: Buffer, faults: Fault[]): unknown {
  const schema = operation.schemas.body;
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!schema) {
    if (bytes.length > 0 && !ignoresUnknown(operation)) faults.push(...membersIn(bytes, JSON_TYPE.test(type)));
    return undefined;
  }
  const kind = operation.raw ? "file as its" : operation.form ? "form" : "JSON";
  const [media = "", parameter = ""] = type.toLowerCase().split(";", 2);
  const bare = parameter === "" || parameter.trim().startsWith("charset=") ? media.trim() : type;
  const accepted = operation.raw?.types.includes(bare) ?? (operation.form ? FORM : JSON_TYPE).test(type);
  const other = bytes.length > 0 ? !accepted || encoding !== "identity" : operation.raw?.refusal;
  if (other) refuse(operation.raw?.refusal ?? "unsupported_media_type");
  if (bytes.length === 0)
    return void faults.push({ pointer: "/body", code: "required", detail: `must have a ${kind} body` });
  if (operation.raw) return bytes;
  const body = operation.form ? parseForm(bytes, faults) : parseJson(bytes);
  const found = faultsIn("body", schema, body, bytes.length);
  faults.push(...found);
  return found.length === 0 ? spelled(schema as Shape, body) : body;
}

/** An operation without a declared body accepts `{}`, which some clients send with every request, and nothing else. */
const membersIn = (bytes: Buffer, isJson: boolean): Fault[] =>
  isJson
    ? faultsIn("body", NO_MEMBERS, parseJson(bytes), bytes.length)
    : [{ pointer: "/body", code: "not_allowed", detail: "must be empty: this operation takes no body" }];
