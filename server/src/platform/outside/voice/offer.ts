// Parses the SDP offer of a browser and adapts the answer. The service never connects to an address in an offer: it is
// the lite end of ICE, answers any peer that knows the session's password, and drops the candidates of the offer
// unread. Pure.

const LINES = /\r\n|\n/;
const SECTION = /^m=(\w+) (\d+) (\S+) /;

/** Returns the sanitised offer, or its fault. */
export function readOffer(sdp: string): { sdp: string } | { fault: string } {
  const lines = sdp.split(LINES).filter((line) => line !== "");
  if (lines[0] !== "v=0" || !lines.every((line) => /^[a-z]=/.test(line))) return { fault: "must be SDP" };
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith("m=")) sections.push([]);
    sections.at(-1)?.push(line);
  }
  const [session = [], ...media] = sections;
  const of = (kind: string) => media.filter(([first = ""]) => SECTION.exec(first)?.[1] === kind);
  const [audio, ...moreAudio] = of("audio");
  const [channel, ...moreChannels] = of("application");
  if (!audio || moreAudio.length > 0) return { fault: "must offer one audio stream" };
  if (!channel || moreChannels.length > 0) return { fault: "must offer a data channel" };
  if (media.length > 2) return { fault: "must offer nothing but audio and a data channel" };
  if (!audio.some((line) => /^a=rtpmap:\d+ opus\/48000\/2$/i.test(line))) return { fault: "must offer Opus" };
  if (audio.includes("a=recvonly") || audio.includes("a=inactive")) return { fault: "must send audio" };
  if (!channel.some((line) => /webrtc-datachannel/.test(line))) return { fault: "must offer a data channel" };
  const secured = [audio, channel].every((section) =>
    ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:sha-256 "].every((name) =>
      [...session, ...section].some((line) => line.startsWith(name)),
    ),
  );
  if (!secured) return { fault: "must name how the connection is secured" };
  const kept = lines.filter((line) => !/^a=(?:candidate:|end-of-candidates)/.test(line));
  return { sdp: `${kept.join("\r\n")}\r\n` };
}

/**
 * Adapts the answer for the browser: keeps one candidate per port, with the listening address or, if the machine does
 * not know its public address, the announced one. Declares ice-lite once, for the whole session (RFC 8839, 5.3).
 */
export function toldAnswer(
  sdp: string,
  { address, announce }: { address: string | null; announce: string | null },
): string {
  const seen = new Set<string>();
  const lines = sdp.split(LINES).flatMap((line) => {
    if (line === "a=ice-lite") return [];
    if (line.startsWith("m=")) seen.clear();
    if (line === "t=0 0") return [line, "a=ice-lite"];
    const [, before, own, port, after] = /^(a=candidate:\S+ \d+ \w+ \d+) (\S+) (\d+) (.*)$/.exec(line) ?? [];
    if (before === undefined || port === undefined) return [line];
    if (seen.has(port) || (address !== null && own !== address)) return [];
    seen.add(port);
    return [`${before} ${announce ?? own} ${port} ${after}`];
  });
  return lines.join("\r\n");
}
