// Parses and serialises frames of the contract. Pure.
import { type ClientFrame, clientFrames, type ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
import type { unknownReasons } from "@svc/contract/surfaces/realtime/limits.ts";
import type { TSchema } from "typebox";
import { faultsIn, parseJson } from "../../platform/wire/input/validation.ts";
import { type Fault, Refusal } from "../../platform/wire/problem.ts";

export class NoFrame extends Error {
  readonly subscriptionId: string | undefined;
  constructor(detail: string, value?: unknown) {
    super(detail);
    const { subscription_id: id } = (value ?? {}) as { subscription_id?: unknown };
    this.subscriptionId = typeof id === "string" && /^[\w.:-]{1,64}$/.test(id) ? id : undefined;
  }
}

const known = new Map<string, TSchema>(Object.entries(clientFrames).map(([type, { schema }]) => [type, schema]));
const spelled = (faults: readonly Fault[]) =>
  faults
    .slice(0, 5)
    .map(({ pointer, detail }) => `${pointer.replace(/^\/body\/?/, "/")} ${detail}`)
    .join("; ");

/** Throws NoFrame if the data is no frame. */
export function frameIn(data: Buffer, isBinary: boolean): ClientFrame {
  if (isBinary) throw new NoFrame("a frame is text");
  const value = valueIn(data);
  const type = (value as { type?: unknown } | null)?.type;
  const schema = typeof type === "string" ? known.get(type) : undefined;
  if (!schema) throw new NoFrame(`/type must be one of ${[...known.keys()].join(", ")}`, value);
  const faults = faultsIn("body", schema, value, data.length);
  if (faults.length > 0) throw new NoFrame(spelled(faults), value);
  const frame = value as ClientFrame;
  const fault = frame.type === "subscribe" && resourceFault(frame.scope, frame.resource_id);
  if (fault) throw new NoFrame(`/resource_id ${fault}`, value);
  return frame;
}
const resourceFault = (scope: string, resourceId: string | undefined) =>
  scope === "task_comments"
    ? resourceId === undefined && "is required with task_comments: send the id of the Task"
    : resourceId !== undefined && "goes with task_comments only; leave it out";

function valueIn(data: Buffer): unknown {
  try {
    return parseJson(data);
  } catch (error) {
    throw new NoFrame(error instanceof Refusal ? spelled(error.extra.errors ?? []) : "is not JSON");
  }
}

export const textOf = (frame: ServerFrame) => JSON.stringify(frame);

export const unknown = (reason: keyof typeof unknownReasons): ServerFrame => ({ type: "presence_unknown", reason });
