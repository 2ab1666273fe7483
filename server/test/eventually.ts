import { vi } from "vitest";

/** Ends with what the look answers, once it throws no more. As patient as the tests themselves: it ends only what hangs, and says nothing of how fast something is. */
export const eventually = <T>(look: () => T | Promise<T>, interval = 50): Promise<T> =>
  vi.waitFor(look, { timeout: 120_000, interval });

/** A page that was read to its end: on a busy machine one may give up before, and says so. */
export const whole = <T extends { body: { complete?: boolean } }>(ask: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    const answer = await ask();
    if (answer.body.complete === false) throw new Error("the page is not complete");
    return answer;
  });

/** What took longer than a statement may, on a busy machine, did not happen: it is asked again. */
export const inTime = <T extends { status: number; text: string }>(ask: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    const answer = await ask();
    if (answer.status === 503) throw new Error(answer.text);
    return answer;
  });
