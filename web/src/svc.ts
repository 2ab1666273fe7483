// The client of the pages that stand outside of every Workspace, and the one way in which the application asks somebody to prove again who they are.
import { createClient } from "@svc/client";
import { fetchAhead } from "./shell/ahead.ts";

/** Asks the person in front of the page to prove again who they are: true once they have. */
type AskForProof = () => Promise<boolean>;
let askForProof: AskForProof | null = null;
let asking: Promise<boolean> | null = null;
/** The one dialog that asks; what waits at the same time waits for the same answer. */
export function setAskForProof(ask: AskForProof | null) {
  askForProof = ask;
}
export function proved(): Promise<boolean> {
  asking ??= (askForProof?.() ?? Promise.resolve(false)).finally(() => {
    asking = null;
  });
  return asking;
}

/** Nothing is tried again behind somebody's back: whoever is asked to wait is told how long, and presses the button again. */
export const svc = createClient({ attempts: 1, onProofNeeded: proved, fetch: fetchAhead });
