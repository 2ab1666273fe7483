// Contents of Documents for tests of the threads that read them: prose of any length, and what a thread refused.
import { Refusal } from "../src/platform/wire/problem.ts";

const PARAGRAPH =
  "Some *emph* and **bold**, `code`, words that go on; snake_case and (so on).\n\n- item one\n- item two\n\n";
export const prose = (length: number) => PARAGRAPH.repeat(Math.ceil(length / PARAGRAPH.length)).slice(0, length);

/** The code of a refusal. */
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "it was not refused",
    (error) => (error instanceof Refusal ? error.code : error),
  );

/** The returned function tells which part of the time since now the event loop was busy: 1 is all of it. */
export function eventLoopLoad(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).utilization;
}
