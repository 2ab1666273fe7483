// How the failure of a model is named for whoever waits for the run.
import { expect, test } from "vitest";
import { ModelError, type ModelFault } from "../../platform/outside/model.ts";
import { carry } from "./run-lifecycle.ts";

test.each([
  ["silent", "model_timeout"],
  ["rate_limited", "model_busy"],
  ["cut", "model_unavailable"],
  ["rejected", "model_unavailable"],
  ["unavailable", "model_unavailable"],
] as const)("a provider that is %s fails the run as %s", async (fault: ModelFault, code) => {
  const failed: string[] = [];
  await carry({
    what: "tests",
    runId: "run",
    state: "running",
    age: 0,
    ms: 60_000,
    stop: new AbortController(),
    log: { info: () => {}, error: () => {} } as never,
    work: () => Promise.reject(new ModelError(fault)),
    leave: async () => {},
    async failed(named) {
      failed.push(named);
    },
  });
  expect(failed).toEqual([code]);
});
