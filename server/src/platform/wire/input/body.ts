// Reads request bodies before the request holds any place or connection. Limits their size, time, number per address
// and total memory. If an address has too many unfinished ones, the oldest is refused, not the newest, so that a client
// that sends a body at once succeeds beside clients that trickle theirs.
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "@svc/contract/errors.ts";
import { Refusal } from "../problem.ts";
import { askForBody } from "./body-rest.ts";

/** Room for 262,144 characters of Markdown, each escaped as two \uXXXX, and for the rest. */
export const BODY_LIMIT = 4 * 1024 * 1024;

/** Minimum progress of a body per interval. */
export interface BodyPace {
  everyMs: number;
  leastBytes: number;
}
/** A small body must arrive completely within one interval. */
const SMALL: BodyPace = { everyMs: 15_000, leastBytes: Infinity };
/** Slower than any modem that is still in use. */
export const FILE: BodyPace = { everyMs: 10_000, leastBytes: 64 * 1024 };

const LIMITS = {
  small: SMALL,
  file: FILE,
  checkMs: 1000,
  /**
   * Maximum unfinished bodies at a time: each takes a moment, so that hundreds of people behind one address have a few.
   */
  perAddress: 128,
  /** Total size of all bodies, from their first byte until their requests are answered. */
  bytes: 128 * 1024 * 1024,
};

/** Connections that receive a file: its reader monitors the progress instead of the host's request time-out. */
export const unhurried = new WeakSet<object>();

interface Holder {
  bytes: number;
  requests: number;
  unfinished: Set<Reading>;
}
interface Reading {
  size: number;
  pace: BodyPace;
  dueAt: number;
  dueSize: number;
  refuse(refusal: Refusal): void;
}

/** Limit of an operation with larger bodies, and the code of its refusal if that must reveal nothing. */
interface Raw {
  bytes: number;
  refusal?: ErrorCode;
}
const tooLarge = (raw: Raw | undefined) => new Refusal(raw?.refusal ?? "payload_too_large");

const NO_BODY = Buffer.alloc(0);
const INCOMPLETE = { errors: [{ pointer: "/body", code: "incomplete", detail: "ended before it was complete" }] };
export const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

export function bodies(limits: Partial<typeof LIMITS> = {}) {
  const { small, file, checkMs, perAddress, bytes: mostBytes } = { ...LIMITS, ...limits };
  const holders = new Map<string, Holder>();
  let held = 0;
  let timer: NodeJS.Timeout | undefined;

  function check() {
    const now = performance.now();
    let left = 0;
    for (const { unfinished } of holders.values()) {
      left += unfinished.size;
      for (const reading of unfinished) {
        if (now < reading.dueAt) continue;
        if (reading.size < reading.dueSize) reading.refuse(new Refusal("request_timeout"));
        due(reading, now);
      }
    }
    if (left > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /**
   * Frees memory by refusing the oldest unfinished body of the address that holds the most; without one, refuses this
   * body.
   */
  function makeRoom(reading: Reading) {
    let largest: Holder | undefined;
    for (const holder of holders.values()) if (holder.bytes > (largest?.bytes ?? 0)) largest = holder;
    const [oldest = reading] = largest?.unfinished ?? [];
    oldest.refuse(new Refusal("overloaded", { retry_after: 1 }));
  }

  function read(request: IncomingMessage, holder: Holder, raw: Raw | undefined, grow: (by: number) => void) {
    const [limit, pace] = raw ? [raw.bytes, file] : [BODY_LIMIT, small];
    return new Promise<Buffer>((resolve, reject) => {
      let chunks: Buffer[] | null = [];
      const reading: Reading = {
        size: 0,
        pace,
        dueAt: 0,
        dueSize: 0,
        refuse(refusal) {
          holder.unfinished.delete(reading);
          chunks = null;
          grow(-reading.size);
          reading.size = 0;
          reject(refusal);
        },
      };
      due(reading, performance.now());
      holder.unfinished.add(reading);
      const [oldest] = holder.unfinished;
      if (holder.unfinished.size > perAddress) oldest?.refuse(new Refusal("request_timeout"));
      askForBody(request);
      // Event listeners, because an async iterator costs 20 µs a request.
      request.on("data", (chunk: Buffer) => {
        if (!chunks) return;
        if (reading.size + chunk.length > limit) return reading.refuse(tooLarge(raw));
        reading.size += chunk.length;
        grow(chunk.length);
        chunks.push(chunk);
        while (chunks && held > mostBytes) makeRoom(reading);
      });
      request.on("end", () => {
        if (!chunks) return;
        holder.unfinished.delete(reading);
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      });
      const broken = () => {
        if (chunks && !request.complete) reading.refuse(new Refusal("invalid_request", INCOMPLETE));
      };
      request.on("error", broken);
      request.on("close", broken);
    });
  }

  return {
    /** Reads the body and passes it to `work`; its memory counts for the address until the work is done. */
    async use<T>(
      request: IncomingMessage,
      address: string,
      raw: Raw | undefined,
      work: (body: Buffer) => Promise<T>,
    ): Promise<T> {
      if (!hasBody(request)) return work(NO_BODY);
      if (Number(request.headers["content-length"] ?? 0) > (raw?.bytes ?? BODY_LIMIT)) throw tooLarge(raw);
      const holder = holders.get(address) ?? { bytes: 0, requests: 0, unfinished: new Set() };
      holders.set(address, holder);
      holder.requests++;
      let own = 0;
      const grow = (by: number) => {
        own += by;
        holder.bytes += by;
        held += by;
      };
      timer ??= setInterval(check, checkMs).unref();
      if (raw) unhurried.add(request.socket);
      try {
        return await work(await read(request, holder, raw, grow));
      } finally {
        grow(-own);
        if (raw) unhurried.delete(request.socket);
        if (--holder.requests === 0) holders.delete(address);
      }
    },
    held: () => held,
  };
}
export type Bodies = ReturnType<typeof bodies>;

/** Sets the next deadline: a whole body, or the next part of a file. */
function due(reading: Reading, now: number) {
  reading.dueAt = now + reading.pace.everyMs;
  reading.dueSize = reading.size + reading.pace.leastBytes;
}
