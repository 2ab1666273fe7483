// API client of the pages outside of a Workspace, and the shared callback that asks for a proof of identity.
import { createClient } from "@svc/client";
import { fetchAhead } from "../first-paint/prefetch.ts";

/** Resolves to true once the person has proved their identity. */
type AskForProof = () => Promise<boolean>;
let askForProof: AskForProof | null = null;
let asking: Promise<boolean> | null = null;
/** Registers the dialog; concurrent requests share one dialog and its result. */
export function setAskForProof(ask: AskForProof | null) {
  askForProof = ask;
}
export function proved(): Promise<boolean> {
  asking ??= (askForProof?.() ?? Promise.resolve(false)).finally(() => {
    asking = null;
  });
  return asking;
}

/** A single attempt without automatic retries: a rate-limited person sees the waiting time and submits again. */
export const svc = createClient({ attempts: 1, onProofNeeded: proved, fetch: fetchAhead });
