// An answer says where the service is reached, and nothing else of its machine.
import { expect, test } from "vitest";
import { readOffer, toldAnswer } from "./offer.ts";

const answer = [
  ...["v=0", "t=0 0", "m=audio 9 UDP/TLS/RTP/SAVPF 96", "a=ice-lite"],
  ...["a=candidate:1 1 udp 21 127.0.0.1 4000 typ host", "a=candidate:2 1 udp 21 10.0.0.5 4001 typ host"],
  ...["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=candidate:1 1 udp 21 127.0.0.1 4000 typ host"],
].join("\r\n");
const candidates = (sdp: string) => sdp.match(/(?<=^a=candidate:.* )\S+ \d+(?= typ)/gm);

test("names the address that it listens on, or the one that it is told", () => {
  const own = toldAnswer(answer, { address: "127.0.0.1", announce: null });
  expect(candidates(own)).toEqual(["127.0.0.1 4000", "127.0.0.1 4000"]);
  expect(own.match(/a=ice-lite/g)).toHaveLength(1);
  expect(own.indexOf("a=ice-lite")).toBeLessThan(own.indexOf("m="));
  const told = toldAnswer(answer, { address: null, announce: "198.51.100.7" });
  expect(candidates(told)).toEqual(["198.51.100.7 4000", "198.51.100.7 4001", "198.51.100.7 4000"]);
});

test("reads no address of an offer", () => {
  const secured = ["a=ice-ufrag:a", "a=ice-pwd:b", "a=fingerprint:sha-256 AA"];
  const offer = [
    ...["v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2", ...secured],
    ...["a=candidate:1 1 udp 21 10.0.0.5 22 typ host", "a=candidate:1 1 udp 21 169.254.169.254 80 typ host"],
    ...["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", ...secured, "a=end-of-candidates"],
  ].join("\n");
  const read = readOffer(offer);
  expect("sdp" in read && read.sdp).toBeTruthy();
  expect(JSON.stringify(read)).not.toContain("candidate");
});
