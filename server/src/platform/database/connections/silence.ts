// Ends waits for an answer that does not come. Time in which this process was busy does not count: a late timer would
// otherwise end a connection whose answer is already in the kernel's buffer.

interface Stream {
  bytesRead: number;
}
/** A timer that fires later than this was delayed by this process. */
const LATE_MS = 100;
/** Number of times that the full time is granted again to a server that answers in steps or a process that is busy. */
const ROUNDS = 4;

/**
 * Calls `end` after `ms` without data. Returns a function that cancels it. `stream` is a function because TLS replaces
 * the stream.
 */
export function onSilence(stream: () => Stream, ms: number, end: () => void): () => void {
  let isCancelled = false;
  let timer: NodeJS.Timeout;
  function arm(left: number) {
    const bytes = stream().bytesRead;
    const due = performance.now() + ms;
    const judge = (isLate: boolean) => {
      if (isCancelled) return;
      if (left > 1 && (isLate || stream().bytesRead !== bytes)) arm(left - 1);
      else end();
    };
    timer = setTimeout(() => {
      const isLate = performance.now() - due > LATE_MS;
      setImmediate(judge, isLate);
    }, ms);
  }
  arm(ROUNDS);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}
