// The process of one voice session: it answers the offer, recognises speech, and speaks on request. It has no access to
// data or other services; the process that started it decides who may still talk, and this process exits when that one
// does.

import type { Language, Understood } from "./ears.ts";
import type { Engine } from "./engine.ts";
import { sentencesOf } from "./mouth.ts";
import { openPeer, type VoicePeer, type Where } from "./peer.ts";
import { beside } from "./thread-client.ts";
import { utterances } from "./utterances.ts";

export type Order =
  | { kind: "answer"; sdp: string; where: Where; engine: string }
  | { kind: "tell"; event: object }
  | { kind: "say"; text: string; language: Language }
  | { kind: "end"; event: object };
export type News =
  | { kind: "answered"; sdp: string }
  | { kind: "refused" }
  | { kind: "unavailable"; why: string }
  | { kind: "opened" }
  | { kind: "heard"; text: string; language: Language }
  | { kind: "closed" };

const report = (news: News) => process.send?.(news);
/** Delay that lets the last event reach the peer before the process exits. */
const QUIET_MS = 100;

let peer: VoicePeer | null = null;
let engine: Engine;
/** Module URL of the engine. */
let from = "";
let mouth: ReturnType<Engine["mouth"]> | undefined;
/** Serialises the work: recognition and synthesis take a core each. */
let hearing: Promise<unknown> = Promise.resolve();
let speaking: Promise<unknown> = Promise.resolve();
/** Number of interruptions: a user who begins to speak stops the current speech. */
let interrupted = 0;

async function answer({ sdp, where, engine: file }: Extract<Order, { kind: "answer" }>) {
  from = file;
  const [opened, open] = waiting();
  let ears: ReturnType<Engine["ears"]> | undefined;
  const closed = () => report({ kind: "closed" });
  const cut = utterances({
    began() {
      interrupted++;
      peer?.hush();
    },
    said(samples) {
      hearing = hearing
        .then(async () => (await ears)?.(samples))
        .then((understood) => understood && understood.text !== "" && report({ kind: "heard", ...understood }))
        .catch(closed);
    },
  });
  try {
    ({ engine } = (await import(from)) as { engine: Engine });
    engine.check();
  } catch (error) {
    return report({ kind: "unavailable", why: String(error) });
  }
  try {
    peer = await openPeer(sdp, where, { heard: (samples) => ears && cut(samples), opened, closed });
  } catch {
    return report({ kind: "refused" });
  }
  report({ kind: "answered", sdp: peer.answer });
  ears = beside<Float32Array, Understood>(from, "ears");
  // Reports "opened" only once recognition is ready, so that no first word is lost.
  await Promise.all([ears, open]).then(() => report({ kind: "opened" }), closed);
}
function waiting(): [() => void, Promise<void>] {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return [resolve, promise];
}

function say(text: string, language: Language) {
  if (!engine.speaks.includes(language)) return;
  mouth ??= beside<string, Float32Array>(from, "mouth");
  const begun = interrupted;
  speaking = speaking
    .then(async () => {
      const speak = await mouth;
      for (const sentence of sentencesOf(text)) {
        if (interrupted !== begun || !speak) return;
        const samples = await speak(sentence);
        if (interrupted === begun) peer?.play(samples);
      }
    })
    .catch(() => {});
}

process.on("message", (order: Order) => {
  if (order.kind === "answer") answer(order);
  else if (order.kind === "tell") peer?.tell(order.event);
  else if (order.kind === "say") say(order.text, order.language);
  else {
    peer?.tell(order.event);
    setTimeout(() => peer?.close().finally(() => process.exit(0)), QUIET_MS);
  }
});
process.on("disconnect", () => process.exit(0));
