// The service's end of a WebRTC connection: Opus in both directions and one data channel. It uses no STUN server and
// connects to nobody: as the lite end of ICE it waits for a peer that knows the session's password.

import { SPOKEN_RATE } from "./mouth.ts";
import { toldAnswer } from "./offer.ts";
import { HEARD_RATE } from "./utterances.ts";
import { library } from "./weights.ts";

/** Longest time without a packet, and to start a session. */
const SILENT_MS = 10_000;
const FRAME_MS = 20;
const SPOKEN_FRAME = (SPOKEN_RATE / 1000) * FRAME_MS;
/** Duration of a frame in units of the RTP clock, which is 48 kHz for all of Opus. */
const CLOCK_FRAME = 48 * FRAME_MS;

export interface Where {
  /** Local address to listen on; null: all. */
  address: string | null;
  /** Address announced to peers instead of the local one, or null. */
  announce: string | null;
  ports: readonly [number, number] | null;
}
interface Stream<Told> {
  subscribe(told: (value: Told) => void): unknown;
}
/** Parts of the library's interface that are used here. */
interface Channel {
  stateChanged: Stream<string>;
  send(text: string): void;
}
interface Connection {
  onDataChannel: Stream<Channel>;
  connectionStateChange: Stream<string>;
  onTrack: Stream<{ onReceiveRtp: Stream<{ header: { sequenceNumber: number }; payload: Buffer }> }>;
  setRemoteDescription(of: { type: "offer"; sdp: string }): Promise<void>;
  setLocalDescription(of: unknown): Promise<unknown>;
  createAnswer(): Promise<unknown>;
  localDescription: { sdp: string } | null;
  getTransceivers(): { setDirection(to: string): void; sender: { replaceTrack(track: unknown): Promise<void> } }[];
  close(): Promise<void>;
}
interface Told {
  heard(samples: Float32Array): void;
  /** The data channel is open: events can be delivered. */
  opened(): void;
  closed(): void;
}

export async function openPeer(offer: string, where: Where, told: Told) {
  const { RTCPeerConnection, MediaStreamTrack, RtpPacket, RtpHeader, useOPUS } = await library("werift");
  const { createDecoder, createEncoder } = await library("libopus-wasm");
  const decoder = await createDecoder({ sampleRate: HEARD_RATE, channels: 1 });
  const encoder = await createEncoder({ sampleRate: SPOKEN_RATE, channels: 1, frameSize: SPOKEN_FRAME });
  const connection: Connection = new RTCPeerConnection({
    iceServers: [],
    iceLite: true,
    iceUseTcp: false,
    iceUseIpv6: false,
    bundlePolicy: "max-bundle",
    codecs: { audio: [useOPUS()], video: [] },
    ...(where.ports && { icePortRange: [...where.ports] }),
    ...(where.address && {
      iceInterfaceAddresses: { udp4: where.address },
      iceAdditionalHostAddresses: [where.address],
    }),
  });
  let channel: Channel | null = null;
  let last: number | null = null;

  // An ICE-lite peer does not notice that the other end has gone; a microphone sends packets during silence, too.
  const gone = setTimeout(told.closed, SILENT_MS);
  connection.onDataChannel.subscribe((opened) => {
    if (channel) return;
    channel = opened;
    opened.stateChanged.subscribe((state) => state === "closed" && told.closed());
    told.opened();
  });
  connection.connectionStateChange.subscribe((state) => {
    if (state === "failed" || state === "closed" || state === "disconnected") told.closed();
  });
  connection.onTrack.subscribe((track) =>
    track.onReceiveRtp.subscribe(({ header, payload }) => {
      // Drops a packet that arrived out of order.
      if (last !== null && ((header.sequenceNumber - last) & 0xffff) > 0x8000) return;
      last = header.sequenceNumber;
      gone.refresh();
      try {
        if (payload.length > 0) told.heard(decoder.decodeFloat(payload));
      } catch {}
    }),
  );
  await connection.setRemoteDescription({ type: "offer", sdp: offer });
  const outgoing = new MediaStreamTrack({ kind: "audio" });
  const [audio] = connection.getTransceivers();
  if (!audio) throw new Error("no audio was offered");
  audio.setDirection("sendrecv");
  await audio.sender.replaceTrack(outgoing);
  await connection.setLocalDescription(await connection.createAnswer());

  const line: Float32Array[] = [];
  let [sequence, timestamp] = [0, 0];
  const player = setInterval(() => {
    const samples = line.shift();
    timestamp = (timestamp + CLOCK_FRAME) >>> 0;
    if (!samples) return;
    sequence = (sequence + 1) & 0xffff;
    const header = new RtpHeader({ sequenceNumber: sequence, timestamp, payloadType: 96, marker: false });
    outgoing.writeRtp(new RtpPacket(header, Buffer.from(encoder.encodeFloat(samples))));
  }, FRAME_MS);

  return {
    answer: toldAnswer(connection.localDescription?.sdp ?? "", where),
    tell(event: object) {
      channel?.send(JSON.stringify(event));
    },
    play(samples: Float32Array) {
      for (let at = 0; at < samples.length; at += SPOKEN_FRAME) {
        const frame = new Float32Array(SPOKEN_FRAME);
        frame.set(samples.subarray(at, at + SPOKEN_FRAME));
        line.push(frame);
      }
    },
    /** Discards the queued audio. */
    hush() {
      line.length = 0;
    },
    async close() {
      clearInterval(player);
      clearTimeout(gone);
      await connection.close();
    },
  };
}
export type VoicePeer = Awaited<ReturnType<typeof openPeer>>;
