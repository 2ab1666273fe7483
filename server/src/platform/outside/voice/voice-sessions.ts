// Starts voice sessions, each in a process of its own, because speech recognition and synthesis take a core and a
// gigabyte, and the process decodes untrusted audio. The process lives as long as the session. Without the installed
// weights there are no voice sessions.
import { type ChildProcess, fork } from "node:child_process";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Language } from "./ears.ts";
import type { Where } from "./peer.ts";
import type { News, Order } from "./process.ts";
import { isInstalled } from "./weights.ts";

/** A request ends after ten seconds; the weights must be loaded before that. */
const ANSWER_MS = 9_000;
const GONE_MS = 1_000;

export type VoiceFault = "refused" | "unavailable";
export class VoiceError extends Error {
  readonly fault: VoiceFault;
  constructor(fault: VoiceFault, why: string) {
    super(why);
    this.name = "VoiceError";
    this.fault = fault;
  }
}
export interface VoiceListener {
  /** The data channel is open: events can be delivered. */
  opened(): void;
  heard(text: string, language: Language): void;
  /** The peer or the process has ended. */
  closed(): void;
}
export interface Line {
  sdp: string;
  tell(event: object): void;
  say(text: string, language: Language): void;
  /** Ends the session after sending this event. */
  end(event: object): void;
}
export interface Lines {
  available(): boolean;
  /** Throws a VoiceError if the offer cannot be answered. */
  open(offer: string, listener: VoiceListener): Promise<Line>;
}

/** `engine`: module of a test's speech engine. */
export function openLines(
  where: { host: string; address: string | null; ports: Where["ports"] },
  engine?: string,
): Lines {
  return {
    available: () => engine !== undefined || isInstalled(),
    open: (offer, listener) => {
      const from = engine ?? new URL("./engine.ts", import.meta.url).href;
      return begin({ kind: "answer", sdp: offer, where: placeOf(where), engine: from }, listener);
    },
  };
}

/**
 * Chooses the listening address: that of the service, or VOICE_ADDRESS. If no local interface has VOICE_ADDRESS,
 * listens on all of them and announces it.
 */
function placeOf({ host, address, ports }: { host: string; address: string | null; ports: Where["ports"] }): Where {
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map((one) => one.address) ?? []);
  if (address !== null)
    return own.includes(address) ? { address, announce: null, ports } : { address: null, announce: address, ports };
  const named = host === "localhost" ? "127.0.0.1" : host;
  return { address: isIPv4(named) && named !== "0.0.0.0" ? named : null, announce: null, ports };
}

function begin(order: Order, listener: VoiceListener): Promise<Line> {
  // Starts a clean process: without the modules that a test runner loaded here, and without output, which may contain
  // the conversation.
  const child: ChildProcess = fork(new URL("./process.ts", import.meta.url), {
    execArgv: [],
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  const send = (to: Order) => child.connected && child.send(to, () => {});
  const gone = () => child.kill("SIGKILL");
  return new Promise<Line>((resolve, reject) => {
    const fail = (fault: VoiceFault, why: string) => {
      clearTimeout(late);
      gone();
      reject(new VoiceError(fault, why));
    };
    const late = setTimeout(() => fail("unavailable", "it took too long"), ANSWER_MS);
    let answered = false;
    const ended = () => (answered ? listener.closed() : fail("unavailable", "the process of voice has ended"));
    child.on("error", ended).on("exit", ended);
    child.on("message", (news: News) => {
      if (news.kind === "refused") fail("refused", "the offer cannot be answered");
      else if (news.kind === "unavailable") fail("unavailable", news.why);
      else if (news.kind === "opened") listener.opened();
      else if (news.kind === "heard") listener.heard(news.text, news.language);
      else if (news.kind === "closed") listener.closed();
      else {
        answered = true;
        clearTimeout(late);
        resolve({
          sdp: news.sdp,
          tell: (event) => send({ kind: "tell", event }),
          say: (text, language) => send({ kind: "say", text, language }),
          end(event) {
            send({ kind: "end", event });
            setTimeout(gone, GONE_MS);
          },
        });
      }
    });
    send(order);
  });
}
