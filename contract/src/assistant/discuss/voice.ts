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
  description:
    "What is read aloud: nothing; answers that tell of something done or wait for your decision; or every answer.",
});

export const createDiscussVoiceSession = op(
  "POST /workspaces/{workspace_id}/discuss/voice/sessions",
  "Begin a voice session",
  {
    ...writing,
    description:
      "Exchanges a WebRTC offer for an answer. The offer has one Opus stream that sends and one data channel; " +
      "addresses in it are not used: the browser calls the service. " +
      "On the channel you are told `session.started` (wait for it before you speak), `turn.queued` with " +
      "`turn_id` and the ids of both messages, and `session.ended` with a `reason`: expired, access_ended, " +
      "unavailable or stopped. What is heard, in English or German, becomes a turn like any other, " +
      "and what is read aloud is its answer. A process has one session at a time (409 voice_busy); " +
      "where what hears and speaks is not installed: 503 voice_unavailable. Sound is kept nowhere.",
    body: object({
      sdp: Sdp("The offer, as RTCPeerConnection.localDescription has it."),
      playback: Type.Optional({ ...VoicePlayback, default: "full" }),
      lifetime_seconds: Type.Optional(
        Type.Integer({
          ...{ minimum: LEAST_SECONDS, maximum: MOST_SECONDS, default: MOST_SECONDS },
          description: "After which the session ends by itself.",
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
