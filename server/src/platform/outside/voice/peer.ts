// The service's end of a WebRTC connection: Opus both ways and one data channel. It asks no server for its own address, and it goes to nobody: it is the lite end
// of ICE, which waits to be called by whoever knows the session's password.

import { SPOKEN_RATE } from "./mouth.ts";
import { toldAnswer } from "./offer.ts";
import { HEARD_RATE } from "./utterances.ts";
import { library } from "./weights.ts";

/** Without a single packet. A session has so long to begin, too. */
const SILENT_MS = 10_000;
const FRAME_MS = 20;
const SPOKEN_FRAME = (SPOKEN_RATE / 1000) * FRAME_MS;
/** Of RTP's clock, which is the same for all of Opus. */
const CLOCK_FRAME = 48 * FRAME_MS;

export interface Where {
  /** Which address of this machine it listens on; null: each. */
  address: string | null;
  /** By which others reach it, where that is another one. */
  announce: string | null;
  ports: readonly [number, number] | null;
}
interface Stream<Told> {
  subscribe(told: (value: Told) => void): unknown;
}
/** What is used of the library. */
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
  /** The channel is open: events arrive. */
  opened(): void;
  closed(): void;
}

export async function openPeer(offer: string, where: Where, told: Told) {
  const { RTCPeerConnection, MediaStreamTrack, RtpPacket, RtpHeader, useOPUS } = await library("werift");
  const { createDecoder, createEncoder } = await library("libopus-wasm");
  const decoder = await createDecoder({ sampleRate: HEARD_RATE, channels: 1 });
  const encoder = await createEncoder({ sampleRate: SPOKEN_RATE, channels: 1, frameSize: SPOKEN_FRAME });
  const connection: Connection = new RTCPeerConnection({
    ...{ iceServers: [], iceLite: true, iceUseTcp: false, iceUseIpv6: false, bundlePolicy: "max-bundle" },
    codecs: { audio: [useOPUS()], video: [] },
    ...(where.ports && { icePortRange: [...where.ports] }),
    ...(where.address && {
      iceInterfaceAddresses: { udp4: where.address },
      iceAdditionalHostAddresses: [where.address],
    }),
  });
  let channel: Channel | null = null;
  let last: number | null = null;

  // Who waits to be called does not notice by itself that nobody is there any more; a microphone sends silence, too.
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
      // One that was overtaken is as good as lost.
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
    /** Nothing of what was still to be played is. */
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
export type Peer = Awaited<ReturnType<typeof openPeer>>;
