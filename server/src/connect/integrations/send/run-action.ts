// Performs an action: one attempt at a time, and one effect. A worker claims it before it calls the provider. A claim
// that has not ended was killed and may have had its effect: the action is repeated only if the provider recognises the
// key, or if a search for our marker finds nothing.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { ActionEffect, ProviderAction } from "../client/provider.ts";
import {
  type InstallationConnection,
  noteFault,
  noteWorks,
  type Reaching,
  reach,
} from "../client/provider-connection.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { actionOf, afterFault, inputRow, markerOf } from "./action-rules.ts";
import * as store from "./action-store.ts";

interface Which {
  workspace_id: string;
  id: string;
}

export async function performAction(parts: Reaching, { workspace_id, id }: Which): Promise<void> {
  const write = <T>(work: Parameters<typeof inWorkspace<T>>[2]) =>
    inWorkspace(parts.database.writer, workspace_id, work);
  const taken = await write((tx) => store.takeAction(tx, id));
  if (!taken) return void (await write((tx) => store.performLater(tx, id)));
  const end = (ended: store.ActionOutcome) => write((tx) => store.endAction(tx, id, taken.attempts, ended));
  const attempt: Attempt = { uncertain: taken.uncertain, recognises: false };
  try {
    const reached = await reach(parts, workspace_id, taken.installation_id);
    if (!reached) {
      const state = taken.uncertain ? "unknown" : "failed";
      return void (await end({ state, code: "installation_revoked", done: null }));
    }
    const input = taken.sealed_input && parts.outside.secrets.open(taken.sealed_input, inputRow(id));
    const action = actionOf(reached.provider, taken.declared, taken.action);
    if (!action || input === null) throw new ProviderFault("unsupported");
    const done = await perform(reached, action, taken, JSON.parse(input), markerOf(id), attempt);
    await write(async (tx) => {
      const ended = await store.endAction(tx, id, taken.attempts, { state: "succeeded", code: null, done });
      if (ended && taken.cause !== null) await store.keepSaid(tx, taken.installation_id, taken.cause, done.externalId);
    });
    await noteWorks(parts, workspace_id, taken.installation_id);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const next = afterFault(error, taken.attempts, attempt.uncertain, attempt.recognises);
    if (next.state === "again") await write((tx) => store.putOff(tx, id, taken.attempts, next));
    else await end({ state: next.state, code: next.code, done: null });
    await noteFault(parts, workspace_id, taken.installation_id, error);
  }
}

interface Attempt {
  /** Whether an earlier attempt may have had its effect. */
  uncertain: boolean;
  recognises: boolean;
}
async function perform(
  { ask }: InstallationConnection,
  action: ProviderAction,
  { resource }: store.ClaimedAction,
  input: unknown,
  marker: string,
  attempt: Attempt,
): Promise<ActionEffect> {
  attempt.recognises = action.keyed || action.find !== undefined;
  if (attempt.uncertain && !action.keyed) {
    if (!action.find) throw new ProviderFault("unknown");
    const found = await action.find(ask, resource, marker, input as never);
    if (found) return found;
    attempt.uncertain = false;
  }
  return action.perform(ask, resource, input as never, marker);
}
