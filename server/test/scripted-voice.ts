// Voice sessions without sound: a test says what was heard, and reads what the service sent and wanted read aloud. The
// offer is text that a browser could have sent. voice.slow.test.ts has real sound, in a process of its own.
import {
  type Line,
  type Lines,
  VoiceError,
  type VoiceFault,
  type VoiceListener,
} from "../src/platform/outside/voice/voice-sessions.ts";

const SECURED = ["a=ice-ufrag:u", "a=ice-pwd:canary-pwd", "a=fingerprint:sha-256 AA:BB"];
const AUDIO = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=sendrecv", "a=rtpmap:111 opus/48000/2", ...SECURED];
const CHANNEL = ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sctp-port:5000", ...SECURED];
const sdpOf = (...sections: string[][]) => [["v=0", "t=0 0"], ...sections].flat().join("\r\n").concat("\r\n");

export const OFFER = sdpOf(AUDIO, CHANNEL);
export const OFFER_WITHOUT_SOUND = sdpOf(CHANNEL);
export const OFFER_WITHOUT_CHANNEL = sdpOf(AUDIO);

export interface VoiceSession {
  /** Events of the channel, as the browser receives them. */
  // biome-ignore lint/suspicious/noExplicitAny: each event has fields of its own.
  told: any[];
  /** What is read aloud. */
  said: { text: string; language: string }[];
  hear: VoiceListener["heard"];
  hangUp(): void;
}

export function scriptedVoice() {
  const sessions: VoiceSession[] = [];
  let fault: VoiceFault | null = null;
  const lines: Lines = {
    available: () => true,
    async open(_offer, listener) {
      if (fault) throw new VoiceError(fault, "as the script says");
      const session: VoiceSession = { told: [], said: [], hear: listener.heard, hangUp: listener.closed };
      sessions.push(session);
      const line: Line = {
        sdp: "v=0\r\n",
        tell: (event) => void session.told.push(event),
        say: (text, language) => void session.said.push({ text, language }),
        end: (event) => void session.told.push(event),
      };
      // The channel opens once the answer has arrived.
      setImmediate(listener.opened);
      return line;
    },
  };
  return {
    lines,
    /** The session that began last. */
    last: () => sessions.at(-1) as VoiceSession,
    /** Sessions that begin from now on fail so. */
    failWith: (next: VoiceFault | null) => {
      fault = next;
    },
    hangUpAll: () => {
      for (const session of sessions.splice(0)) session.hangUp();
    },
  };
}
