// A browser's end of a voice session, without a browser.
import { createDecoder, createEncoder } from "libopus-wasm";
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket, useOPUS } from "werift";
import { discussPath } from "./discuss.ts";
import type { Options, Person, World } from "./world.ts";

const FRAME_MS = 20;
const RATE = 48_000;

// biome-ignore lint/suspicious/noExplicitAny: what is told on the channel.
export type VoiceMessage = any;

/** `audio`: which way it goes; null: none is offered. */
export async function caller({ audio = "sendrecv" as "sendrecv" | "recvonly" | null, channel = true } = {}) {
  const connection = new RTCPeerConnection({
    iceServers: [],
    iceUseIpv6: false,
    bundlePolicy: "max-bundle",
    codecs: { audio: [useOPUS()], video: [] },
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
  const track = new MediaStreamTrack({ kind: "audio" });
  if (audio) connection.addTransceiver(audio === "sendrecv" ? track : "audio", { direction: audio });
  const told: VoiceMessage[] = [];
  const events = channel ? connection.createDataChannel("events") : null;
  events?.onMessage.subscribe((data) => told.push(JSON.parse(String(data))));
  let heard = 0;
  const decoder = await createDecoder({ sampleRate: RATE, channels: 1 });
  connection.onTrack.subscribe((remote) =>
    remote.onReceiveRtp.subscribe(({ payload }) => {
      if (decoder.decodeFloat(payload).some((each) => Math.abs(each) > 0.05)) heard++;
    }),
  );
  await connection.setLocalDescription(await connection.createOffer());
  const encoder = await createEncoder({ sampleRate: RATE, channels: 1, frameSize: (RATE / 1000) * FRAME_MS });
  let [sequence, timestamp] = [0, 0];
  const line: Float32Array[] = [];
  const silence = new Float32Array((RATE / 1000) * FRAME_MS);
  const player = setInterval(() => {
    if (connection.connectionState !== "connected") return;
    [sequence, timestamp] = [(sequence + 1) & 0xffff, timestamp + silence.length];
    const header = new RtpHeader({ sequenceNumber: sequence, timestamp, payloadType: 96 });
    track.writeRtp(new RtpPacket(header, Buffer.from(encoder.encodeFloat(line.shift() ?? silence))));
  }, FRAME_MS);
  return {
    offer: connection.localDescription?.sdp ?? "",
    told,
    answered: (sdp: string) => connection.setRemoteDescription({ type: "answer", sdp }),
    /** Samples at 48,000 a second. */
    speak(samples: Float32Array) {
      for (let at = 0; at + silence.length <= samples.length; at += silence.length)
        line.push(samples.slice(at, at + silence.length));
    },
    /** How many pieces of sound were loud. */
    heard: () => heard,
    async hangUp() {
      clearInterval(player);
      events?.close();
      await connection.close();
    },
  };
}
export type Caller = Awaited<ReturnType<typeof caller>>;

export const begin = (person: Person, home: Pick<World, "workspaceId">, body: object, options: Options = {}) =>
  person.call("POST", discussPath(home, "voice/sessions"), { body, ...options });
