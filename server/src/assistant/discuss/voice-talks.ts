// Voice sessions of this process, one at a time. A transcript is posted as a turn of its person, with the credential
// that began the session: every rule of turns applies, and the session ends with the credential or the membership.
// Audio is not stored, and words only in the conversation.
import { setTimeout as sleep } from "node:timers/promises";
import type { VoiceAsked } from "../../platform/outside/external-systems.ts";
import { type Line, type Lines, VoiceError } from "../../platform/outside/voice/voice-sessions.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { callingWith, type OperationCaller, queuedTerms } from "../tools/operation-calls.ts";
import type { DiscussDependencies } from "./answers/dependencies.ts";

export interface TalkPace {
  /** Interval between checks of the person's access. */
  accessMs: number;
  /** Interval between checks for a complete answer to read aloud. */
  answerMs: number;
  /** Length of a second of the session's lifetime; tests shorten it. */
  secondMs: number;
}
const PACE: TalkPace = { accessMs: 2_000, answerMs: 300, secondMs: 1_000 };

/** Codes after which the credential, the membership or the Workspace has ended. */
const ENDED = new Set(["authentication_required", "invalid_token", "not_found", "forbidden"]);
const DONE = ["interaction", "action_result", "operation_receipts"];

const tellsOfSomething = ({ kind, tool, state }: Message) =>
  DONE.includes(kind) || (kind === "tool_activity" && tool === "remind" && state === "completed");

type Reason = "expired" | "access_ended" | "unavailable" | "stopped";
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Message = any;

export function openTalks(kit: DiscussDependencies, lines: Lines, own: Partial<TalkPace> = {}) {
  const pace = { ...PACE, ...own };
  let current: { end(reason: Reason): void } | null = null;
  return {
    async begin(asked: VoiceAsked): Promise<{ sdp: string }> {
      if (!lines.available()) refuse("voice_unavailable");
      if (current) refuse("voice_busy");
      const talk = new Talk(kit, pace, asked, () => {
        if (current === talk) current = null;
      });
      current = talk;
      try {
        return { sdp: await talk.begin(lines) };
      } catch (error) {
        talk.end("unavailable");
        if (!(error instanceof VoiceError)) throw error;
        if (error.fault === "refused") return refuseAt("/body/sdp", "invalid_request", "cannot be answered");
        kit.log.warn({ why: error.message }, "voice is not available");
        return refuse("voice_unavailable");
      }
    },
    close: () => current?.end("stopped"),
  };
}

class Talk {
  readonly #pace: TalkPace;
  readonly #asked: VoiceAsked;
  readonly #gone: () => void;
  readonly #over = new AbortController();
  readonly #call: OperationCaller;
  #line: Line | null = null;
  #turns = 0;
  /** Serialises answers, so that they are read aloud in order. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(kit: DiscussDependencies, pace: TalkPace, asked: VoiceAsked, gone: () => void) {
    this.#pace = pace;
    this.#asked = asked;
    this.#gone = gone;
    const { queued, id } = asked;
    this.#call = callingWith({
      host: kit.host,
      terms: queuedTerms(queued, ["svc:discuss"]),
      correlationId: id,
      signal: this.#over.signal,
      workspaceId: queued.workspaceId,
    });
  }

  async begin(lines: Lines): Promise<string> {
    const { id, offer, seconds, expiresAt } = this.#asked;
    const line = await lines.open(offer, {
      opened: () => line.tell({ type: "session.started", id, expires_at: expiresAt }),
      heard: (text, language) => this.#hear(text, language),
      closed: () => this.end("unavailable"),
    });
    this.#line = line;
    const { signal } = this.#over;
    const wait = (ms: number) =>
      sleep(ms, null, { signal }).then(
        () => true,
        () => false,
      );
    wait(seconds * this.#pace.secondMs).then((reached) => reached && this.end("expired"));
    const watch = async () => {
      while (await wait(this.#pace.accessMs)) await this.#look();
    };
    watch();
    return line.sdp;
  }

  end(reason: Reason): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#line?.end({ type: "session.ended", reason });
    this.#gone();
  }

  /** Checks whether the person may still talk here. */
  async #look(): Promise<void> {
    const allowed = await this.#call("getDiscussAvailability").then(
      ({ body }) => body.access !== "none",
      (error) => !(error instanceof Refusal && ENDED.has(error.code)),
    );
    if (!allowed) this.end("access_ended");
  }

  async #hear(text: string, language: "en" | "de"): Promise<void> {
    const { id, playback } = this.#asked;
    const body = { content: text, metadata: [{ kind: "turn_preferences", locale: language }] };
    try {
      const { body: turn } = await this.#call("createDiscussTurn", { body, key: `voice-${id}-${++this.#turns}` });
      const [user, assistant] = [turn.user_message.id, turn.assistant_message.id];
      const ids = { turn_id: turn.turn_id, user_message_id: user, assistant_message_id: assistant };
      this.#line?.tell({ type: "turn.queued", ...ids });
      if (playback !== "off") this.#reading = this.#reading.then(() => this.#read(assistant, language));
    } catch {
      await this.#look();
    }
  }

  async #read(messageId: string, language: "en" | "de"): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const asked = this.#call("getDiscussMessage", { params: { message_id: messageId } });
      const message: Message = (await asked.catch(() => null))?.body;
      if (message?.generation_state === "failed") return;
      if (message?.generation_state === "completed") {
        const tells = this.#asked.playback === "full" || message.parts.some(tellsOfSomething);
        if (tells) this.#line?.say(message.content, language);
        return;
      }
      await sleep(this.#pace.answerMs, null, { signal }).catch(() => {});
    }
  }
}
