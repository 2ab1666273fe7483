// The time of attempts to deliver a webhook, for a sender in the process of the test: attempts end with their answer,
// or when the test says that their time is over.
import { expect, vi } from "vitest";
import type { Egress } from "../src/platform/outside/external-systems.ts";

/** Longer than any test. */
export const ATTEMPT_MS = 600_000;

export function attemptClock(webhooks: Egress) {
  let overdue = new AbortController();
  let responses = 0;
  const stream: Egress["stream"] = async (...request) => {
    const answer = await webhooks.stream(...request);
    responses++;
    return answer;
  };
  /** Ends the attempts that are under way, as after ATTEMPT_MS; those that follow have as long again. */
  function end() {
    const ended = overdue;
    overdue = new AbortController();
    ended.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  }
  return {
    egress: Object.assign(webhooks.bind(null), webhooks, { stream }),
    /** Until vi.restoreAllMocks(). */
    start() {
      [overdue, responses] = [new AbortController(), 0];
      const { timeout } = AbortSignal;
      vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
        ms === ATTEMPT_MS ? overdue.signal : timeout.call(AbortSignal, ms),
      );
    },
    end,
    /** The same once the head of the first response has arrived. */
    async endOnceAnswered() {
      await expect.poll(() => responses).toBeGreaterThan(0);
      end();
    },
  };
}
