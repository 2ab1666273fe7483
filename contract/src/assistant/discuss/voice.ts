// Voice conversation with the assistant: a browser offers a WebRTC connection and receives an answer; transcribed
// speech becomes turns of the conversation.
import Type from "typebox";
import { op } from "../../kit.ts";
import { Id, object, single, Timestamp } from "../../types.ts";
import { writing } from "./private.ts";

export const [LEAST_SECONDS, MOST_SECONDS] = [15, 600] as const;
const MOST_SDP = 20_000;
const Sdp = (description: string) => ({ ...Type.String({ minLength: 1, maxLength: MOST_SDP, description }) });

export const VoicePlayback = Type.Enum(["off", "confirmations", "full"], {
  description: "Answers to read aloud: none; those that report a change or wait for your decision; or every answer.",
});

export const createDiscussVoiceSession = op(
  "POST /workspaces/{workspace_id}/discuss/voice/sessions",
  "Start a voice session",
  {
    ...writing,
    description:
      "Exchanges a WebRTC offer for an answer. The offer has one Opus stream that sends and one data " +
      "channel; its addresses are ignored: the browser calls the service. The channel sends " +
      "`session.started` (wait for it before you speak), `turn.queued` with `turn_id` and the ids of " +
      "both messages, and `session.ended` with a `reason`: expired, access_ended, unavailable or " +
      "stopped. Speech in English or German becomes a turn like any other, and its answer is read aloud. " +
      "A process has one session at a time (409 voice_busy); if the voice process is not installed, the " +
      "answer is 503 voice_unavailable. Audio is never stored.",
    body: object({
      sdp: Sdp("The offer, from RTCPeerConnection.localDescription."),
      playback: Type.Optional({ ...VoicePlayback, default: "full" }),
      lifetime_seconds: Type.Optional(
        Type.Integer({
          minimum: LEAST_SECONDS,
          maximum: MOST_SECONDS,
          default: MOST_SECONDS,
          description: "Seconds after which the session ends.",
        }),
      ),
    }),
    example: { sdp: "v=0\r\n…", playback: "confirmations", lifetime_seconds: 300 },
    idempotencyKey: "none",
    secret: true,
    returns: single(object({ id: Id, sdp: Sdp("The answer, for setRemoteDescription."), expires_at: Timestamp })),
    errors: ["voice_unavailable", "voice_busy", "discuss_not_included"],
  },
);
