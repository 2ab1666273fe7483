// Contents of Documents for tests of the threads that read them: prose of any length, and what a thread refused.
import { Refusal } from "../src/wire/problem.ts";

const PARAGRAPH =
  "Some *emph* and **bold**, `code`, words that go on; snake_case and (so on).\n\n- item one\n- item two\n\n";
export const prose = (length: number) => PARAGRAPH.repeat(Math.ceil(length / PARAGRAPH.length)).slice(0, length);

/** The code of a refusal. */
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "it was not refused",
    (error) => (error instanceof Refusal ? error.code : error),
  );

/** Counts turns of the event loop from now on; the returned function stops and returns their number. */
export function eventLoopTurns(): () => number {
  let turns = 0;
  let counts = true;
  const turn = () => {
    turns++;
    if (counts) setImmediate(turn);
  };
  turn();
  return () => {
    counts = false;
    return turns;
  };
}
