// What a request must look like that is to become a socket, from its headers alone: who sends it is looked at by the pipeline, as with every other request.
import type { IncomingMessage } from "node:http";
import { type Fault, Refusal } from "./problem.ts";

const fault = (name: string, code: string, detail: string): Fault => ({ pointer: `/headers/${name}`, code, detail });
/** What is wrong with a request that is to become a socket which speaks this protocol. */
export function handshakeFaults({ headers }: IncomingMessage, protocol: string): Fault[] {
  const isBearer = headers.authorization !== undefined;
  return [
    headers.upgrade?.toLowerCase() !== "websocket" && fault("upgrade", "required", "must be websocket"),
    headers["sec-websocket-protocol"] !== protocol &&
      fault("sec-websocket-protocol", "required", `must be ${protocol}`),
    isBearer && headers.cookie !== undefined && fault("cookie", "not_allowed", "must not be sent with a token"),
    isBearer && headers.origin !== undefined && fault("origin", "not_allowed", "must not be sent with a token"),
  ].filter((found) => found !== false);
}

const FOREIGN = new Refusal("forbidden", {
  errors: [{ pointer: "/headers/origin", code: "not_allowed", detail: "must be that of this service, and sent once" }],
});
/** A page of somebody else's opens no socket with the cookies of ours, or with what it may have got hold of. */
export const foreign = ({ headersDistinct }: IncomingMessage, origin: string): Refusal | null => {
  const sent = headersDistinct.origin ?? [];
  return sent.length === 1 && sent[0] === new URL(origin).origin ? null : FOREIGN;
};
