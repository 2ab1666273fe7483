// Validates the headers of a WebSocket handshake. The pipeline authenticates the caller, as for every other request.
import type { IncomingMessage } from "node:http";
import { type Fault, Refusal } from "../problem.ts";

const fault = (name: string, code: string, detail: string): Fault => ({ pointer: `/headers/${name}`, code, detail });
/** Faults of a request that opens a socket with this subprotocol. */
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
/** Refuses a handshake from a page of another origin, which must not use our cookies or a stolen token. */
export const foreign = ({ headersDistinct }: IncomingMessage, origin: string): Refusal | null => {
  const sent = headersDistinct.origin ?? [];
  return sent.length === 1 && sent[0] === new URL(origin).origin ? null : FOREIGN;
};
