// Voice with real sound: a process of its own answers the offer, hears tones as sentences and reads answers aloud.
// voice.test.ts has the rules of sessions without sound.
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { Writable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { discussPath, ended, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { setMembership } from "../../../test/people.ts";
import { begin, type Caller, caller, type VoiceMessage } from "../../../test/voice.ts";
import { SAYINGS, tone } from "../../../test/voice-engine.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { openLines } from "../../platform/outside/voice/voice-sessions.ts";
import { isInstalled } from "../../platform/outside/voice/weights.ts";
import { createLog } from "../../platform/wire/log.ts";

const written: string[] = [];
const log = createLog(
  "info",
  new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) }),
);
const linesWith = (engine: string) =>
  openLines(
    { host: "127.0.0.1", address: null, ports: null },
    new URL(`../../../test/${engine}`, import.meta.url).href,
  );
const running = service({ roles: ["api", "worker"] }, { voice: linesWith("voice-engine.ts"), log });
const without = service({}, { voice: linesWith("there-is-none.ts") });

const open: Caller[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.hangUp();
});
async function offering(asked: Parameters<typeof caller>[0] = {}) {
  const made = await caller(asked);
  open.push(made);
  return made;
}
/**
 * Calls of one session, a minute each: on a machine that stands still the handshake of the caller's library may end for
 * good.
 */
const MOST_CALLS = 3;
const CALL_MS = 60_000;
/** A session that has started; who talked before may not have gone yet. */
async function started(person: Person, home: World, body: object = {}, calls = MOST_CALLS) {
  const there = await offering();
  const answer = await eventually(async () => {
    const sent = await begin(person, home, { sdp: there.offer, ...body });
    expect(sent.status, sent.text).toBe(200);
    return sent;
  });
  await there.answered(answer.body.sdp);
  const until = performance.now() + CALL_MS;
  const hasStarted = () => there.told.some(({ type }) => type === "session.started");
  await eventually(() => expect(hasStarted() || (calls > 1 && performance.now() > until)).toBe(true));
  if (hasStarted()) return { there, answer };
  await there.hangUp();
  return started(person, home, body, calls - 1);
}
const told = (there: Caller, type: string): Promise<VoiceMessage> =>
  eventually(async () => {
    const found = there.told.find((event) => event.type === type);
    expect(found, JSON.stringify(there.told)).toBeDefined();
    return found;
  });
const speak = (there: Caller, which: 0 | 1 | 2) => there.speak(tone(SAYINGS[which].hertz, 48_000, 1));

describe("a session", () => {
  test("hears what is said as a turn of the conversation, reads the answer aloud, and keeps nothing of it in the log", async () => {
    const { home, ada, bob } = await talkers(running);
    const before = Date.now();
    const { there, answer } = await started(ada, home, { lifetime_seconds: 600 });
    const { id, expires_at, sdp } = answer.body;
    expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(600_000);
    expect(there.told[0]).toEqual({ type: "session.started", id, expires_at });
    // It waits to be called, at the address that the service has.
    expect(sdp).toContain("a=ice-lite");
    expect(sdp.match(/^a=candidate:.*$/gm).every((line: string) => line.includes(" 127.0.0.1 "))).toBe(true);
    const other = await offering();
    const second = await begin(bob, home, { sdp: other.offer });
    expect([second.status, second.body.code]).toEqual([409, "voice_busy"]);

    speak(there, 0);
    const queued = await told(there, "turn.queued");
    const said = await ended(ada, home, queued.assistant_message_id);
    expect(said).toMatchObject({ turn_id: queued.turn_id, content: expect.stringContaining("Overdue") });
    const user = await ada.call("GET", discussPath(home, `messages/${queued.user_message_id}`));
    expect(user.body).toMatchObject({ role: "user", content: "What is overdue?" });
    expect((await bob.call("GET", discussPath(home, `messages/${queued.user_message_id}`))).status).toBe(404);
    await eventually(async () => expect(there.heard()).toBeGreaterThan(5));

    await there.hangUp();
    await eventually(async () => {
      const next = await begin(bob, home, { sdp: (await offering()).offer, lifetime_seconds: 15 });
      expect(next.status).toBe(200);
    });
    const all = written.join("\n");
    for (const word of ["overdue", "ice-pwd", "fingerprint", "candidate"]) expect(all).not.toContain(word);
  });

  test("reads nothing aloud where that is off, and only what was done or waits where confirmations are wanted", async () => {
    const { home, ada } = await talkers(running);
    const quiet = await started(ada, home, { playback: "off" });
    speak(quiet.there, 0);
    const first = await told(quiet.there, "turn.queued");
    await ended(ada, home, first.assistant_message_id);
    await quiet.there.hangUp();

    const { there } = await started(ada, home, { playback: "confirmations" });
    speak(there, 0);
    const question = await told(there, "turn.queued");
    await ended(ada, home, question.assistant_message_id);
    speak(there, 2);
    await eventually(async () => expect(there.told.filter(({ type }) => type === "turn.queued")).toHaveLength(2));
    await ended(ada, home, there.told.at(-1).assistant_message_id);
    await eventually(async () => expect(there.heard()).toBeGreaterThan(5));
    expect(quiet.there.heard()).toBe(0);
    // One sentence: the first answer was not read.
    expect(there.heard()).toBeLessThan(45);
  });

  test("answers in German where it hears German, and does not read that with an English voice", async () => {
    const { home, ada } = await talkers(running);
    await letAiIn(home.owner, home.workspaceId, false);
    const { there } = await started(ada, home);
    speak(there, 1);
    const { assistant_message_id } = await told(there, "turn.queued");
    expect((await ended(ada, home, assistant_message_id)).content).toContain("Überfällig");
    expect(there.heard()).toBe(0);
  });

  test("ends when its time is over", async () => {
    const { home, ada } = await talkers(running);
    const { there } = await started(ada, home, { lifetime_seconds: 15 });
    expect(await told(there, "session.ended")).toEqual({ type: "session.ended", reason: "expired" });
  });

  test("ends within seconds when its person is no member any more", async () => {
    const { home, bob } = await talkers(running);
    const { there } = await started(bob, home);
    await setMembership(running, home, bob, "state = 'removed'");
    expect(await told(there, "session.ended")).toEqual({ type: "session.ended", reason: "access_ended" });
  });
});

describe("an offer", () => {
  const refused = async (body: object) => {
    const { home, ada } = await talkers(running);
    const { status, body: problem } = await begin(ada, home, body);
    return [status, problem.code, problem.errors?.[0]?.pointer];
  };

  test("that is none, is too long, has no sound, no channel or more than those is refused", async () => {
    const { offer } = await offering();
    const bad = [400, "invalid_request", "/body/sdp"];
    expect(await refused({ sdp: "hello" })).toEqual(bad);
    expect(await refused({ sdp: `${offer}${"a=x\r\n".repeat(5000)}` })).toEqual(bad);
    expect(await refused({ sdp: (await offering({ audio: null })).offer })).toEqual(bad);
    expect(await refused({ sdp: (await offering({ audio: "recvonly" })).offer })).toEqual(bad);
    expect(await refused({ sdp: (await offering({ channel: false })).offer })).toEqual(bad);
    expect(await refused({ sdp: `${offer}m=video 9 UDP/TLS/RTP/SAVPF 97\r\n` })).toEqual(bad);
    expect(await refused({ sdp: offer.replace(/a=fingerprint:.*\r\n/g, "") })).toEqual(bad);
    expect(await refused({ sdp: offer.replace(/opus/gi, "pcmu") })).toEqual(bad);
  });

  test("lasts 15 to 600 seconds, with one of three ways of reading aloud", async () => {
    const { offer } = await offering();
    const time = [400, "invalid_request", "/body/lifetime_seconds"];
    expect(await refused({ sdp: offer, lifetime_seconds: 14 })).toEqual(time);
    expect(await refused({ sdp: offer, lifetime_seconds: 601 })).toEqual(time);
    expect(await refused({ sdp: offer, lifetime_seconds: 15.5 })).toEqual(time);
    expect(await refused({ sdp: offer, playback: "loud" })).toEqual([400, "invalid_request", "/body/playback"]);
  });

  test("of a token, of somebody else's Workspace, or where the plan does not include Discuss is refused", async () => {
    const { home, ada } = await talkers(running);
    const { offer: sdp } = await offering();
    const token = await home.token(["svc:discuss", "svc:read", "svc:write"]);
    const path = discussPath(home, "voice/sessions");
    expect((await ada.bearer(token, "POST", path, { body: { sdp } })).body.code).toBe("credential_kind_not_allowed");
    const stranger = (await world(running)).owner;
    expect((await begin(stranger, home, { sdp })).status).toBe(404);
    await running.asOwner(`create
      or replace function entitled(workspace uuid, entitlement text) returns boolean language sql stable parallel safe
      return entitlement <> 'discuss' or workspace <> '${home.workspaceId}'`);
    const left = await begin(ada, home, { sdp });
    expect([left.status, left.body.code]).toEqual([403, "discuss_not_included"]);
  });

  test("is answered with 503 where nothing hears and speaks", async () => {
    const { home, ada } = await talkers(without);
    const answer = await begin(ada, home, { sdp: (await offering()).offer });
    expect([answer.status, answer.body.code]).toEqual([503, "voice_unavailable"]);
    expect(isInstalled(createRequire(`${tmpdir()}/package.json`))).toBe(false);
  });
});
