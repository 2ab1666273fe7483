// Structured logs: one JSON line a request, its fields from this allow-list and never bodies, tokens or addresses of mail.
import { type DestinationStream, destination, type Logger, pino } from "pino";

export interface RequestLine {
  correlation_id: string;
  operation: string;
  method: string;
  status: number;
  code: string | null;
  ms: number;
  round_trips: number;
  credential: string | null;
  workspace_id: string | null;
  actor_id: string | null;
}

/** Lines are buffered and written together; flushed every second and at exit. */
export function createLog(
  level: string,
  stream: DestinationStream = destination({ sync: false, minLength: 8192, periodicFlush: 1000 }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}
