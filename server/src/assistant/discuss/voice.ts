// Starts a voice session: validates the offer; a separate process answers it
// (platform/outside/voice/voice-sessions.ts).
import * as contract from "@svc/contract/assistant/discuss/voice.ts";
import { implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { readOffer } from "../../platform/outside/voice/offer.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { talking } from "./access.ts";

export const createDiscussVoiceSession = implementWithEffects(
  contract.createDiscussVoiceSession,
  talking,
  async ({ principal, member, outside, finish }, { body }) => {
    const { playback = "full", lifetime_seconds: seconds = contract.MOST_SECONDS } = body;
    const offer = readOffer(body.sdp);
    if ("fault" in offer) return refuseAt("/body/sdp", "invalid_request", offer.fault);
    if (!principal) return refuse("not_found");
    const id = newId();
    const expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
    const queued = { workspaceId: member.workspaceId, credentialId: principal.credentialId, kind: principal.kind };
    const { sdp } = await outside.voice({ id, offer: offer.sdp, playback, seconds, expiresAt, queued });
    return finish(async () => ({ id, sdp, expires_at: expiresAt, capabilities: [] }));
  },
);
