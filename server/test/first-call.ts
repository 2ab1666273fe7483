// The first test of a new operation, which `npm run new` writes: one valid call, made from the operation's fixture, and
// the same call by a stranger.
import { isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import type { Answer } from "./answer.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, ready, stageOn } from "./stage.ts";
import type { TestService } from "./world.ts";

/**
 * The stranger is a member of another Workspace, or nobody where the path names nothing. The refused call comes first:
 * it may change nothing.
 */
export async function firstCall(running: TestService, id: string): Promise<{ answer: Answer; refusal: Answer }> {
  const operation = operations.get(id);
  if (!operation) throw new Error(`the contract declares no operation ${id}`);
  const stage = await stageOn(running, [...operations.values()], fixtures);
  try {
    const call = await ready(stage, operation, isUnsafe(operation));
    const stranger = await stage.foreign.member("member");
    const refusal =
      operation.params.length > 0
        ? await attempt(stage, operation, { ...call, person: stranger })
        : await attempt(stage, operation, call, { as: {} });
    return { refusal, answer: await attempt(stage, operation, call) };
  } finally {
    await stage.admin.end();
  }
}
