// Voice sessions: what is heard becomes turns, answers are read aloud, and a session ends with its time or its person's
// access. voice.slow.test.ts proves the same with sound, in the process that hears and speaks.
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { discussPath, ended, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { setMembership } from "../../../test/people.ts";
import { OFFER, OFFER_WITHOUT_CHANNEL, OFFER_WITHOUT_SOUND, scriptedVoice } from "../../../test/scripted-voice.ts";
import { type Options, type Person, service, type World, world } from "../../../test/world.ts";
import { createLog } from "../../platform/wire/log.ts";

const written: string[] = [];
const log = createLog(
  "info",
  new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) }),
);
const voice = scriptedVoice();
// A session of 15 s lasts 3 s here.
const talkPace = { accessMs: 100, answerMs: 50, secondMs: 200 };
const running = service({ roles: ["api", "worker"] }, { voice: voice.lines, talkPace, log });
beforeEach(() => voice.failWith(null));
afterEach(() => voice.hangUpAll());

const begin = (person: Person, home: Pick<World, "workspaceId">, body: object = {}, options: Options = {}) =>
  person.call("POST", discussPath(home, "voice/sessions"), { body: { sdp: OFFER, ...body }, ...options });
async function started(person: Person, home: World, body: object = {}) {
  const answer = await begin(person, home, body);
  expect(answer.status, answer.text).toBe(200);
  const session = voice.last();
  const told = (type: string, count = 1) =>
    eventually(() => {
      const found = session.told.filter((event) => event.type === type);
      expect(found.length, JSON.stringify(session.told)).toBeGreaterThanOrEqual(count);
      return found[count - 1];
    });
  await told("session.started");
  return { session, told, answer };
}

describe("a session", () => {
  test("hears what is said as a turn, reads the answer aloud, and keeps nothing of it in the log", async () => {
    const { home, ada, bob } = await talkers(running);
    const before = Date.now();
    const { session, told, answer } = await started(ada, home, { lifetime_seconds: 600 });
    const { id, expires_at } = answer.body;
    expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(600_000);
    expect(session.told[0]).toEqual({ type: "session.started", id, expires_at });
    const second = await begin(bob, home);
    expect([second.status, second.body.code]).toEqual([409, "voice_busy"]);

    session.hear("What is overdue?", "en");
    const queued = await told("turn.queued");
    const answered = await ended(ada, home, queued.assistant_message_id);
    expect(answered).toMatchObject({ turn_id: queued.turn_id, content: expect.stringContaining("Overdue") });
    const user = await ada.call("GET", discussPath(home, `messages/${queued.user_message_id}`));
    expect(user.body).toMatchObject({ role: "user", content: "What is overdue?" });
    expect((await bob.call("GET", discussPath(home, `messages/${queued.user_message_id}`))).status).toBe(404);
    await eventually(() => expect(session.said).toEqual([{ text: answered.content, language: "en" }]));

    session.hangUp();
    expect((await begin(bob, home)).status).toBe(200);
    const all = written.join("\n");
    for (const word of ["overdue", "ice-pwd", "canary-pwd", "fingerprint", "candidate"])
      expect(all).not.toContain(word);
  });

  test("reads nothing aloud where that is off, and only what was done or waits for confirmations", async () => {
    const { home, ada } = await talkers(running);
    const ask = async ({ session, told }: Awaited<ReturnType<typeof started>>, text: string, count = 1) => {
      session.hear(text, "en");
      return ended(ada, home, (await told("turn.queued", count)).assistant_message_id);
    };
    const quiet = await started(ada, home, { playback: "off" });
    await ask(quiet, "What is overdue?");
    quiet.session.hangUp();

    const confirming = await started(ada, home, { playback: "confirmations" });
    await ask(confirming, "What is overdue?");
    const { content } = await ask(confirming, "Remind me tomorrow at 9 to call Grace", 2);
    // Answers are read in their order: the first was not read.
    await eventually(() => expect(confirming.session.said).toEqual([{ text: content, language: "en" }]));
    expect(quiet.session.said).toEqual([]);
  });

  test("answers in German where it hears German", async () => {
    const { home, ada } = await talkers(running);
    await letAiIn(home.owner, home.workspaceId, false);
    const { session, told } = await started(ada, home);
    session.hear("Was ist überfällig?", "de");
    const { assistant_message_id } = await told("turn.queued");
    expect((await ended(ada, home, assistant_message_id)).content).toContain("Überfällig");
    await eventually(() => expect(session.said).toMatchObject([{ language: "de" }]));
  });

  test("ends when its time is over", async () => {
    const { home, ada } = await talkers(running);
    const { told } = await started(ada, home, { lifetime_seconds: 15 });
    expect(await told("session.ended")).toEqual({ type: "session.ended", reason: "expired" });
    expect((await begin(ada, home)).status).toBe(200);
  });

  test("ends when its person is no member any more", async () => {
    const { home, bob } = await talkers(running);
    const { told } = await started(bob, home);
    await setMembership(running, home, bob, "state = 'removed'");
    expect(await told("session.ended")).toEqual({ type: "session.ended", reason: "access_ended" });
  });
});

describe("an offer", () => {
  const refused = async (body: object) => {
    const { home, ada } = await talkers(running);
    const { status, body: problem } = await begin(ada, home, body);
    return [status, problem.code, problem.errors?.[0]?.pointer];
  };

  test("that is none, is too long, has no sound, no channel or more than those is refused", async () => {
    const bad = [400, "invalid_request", "/body/sdp"];
    for (const sdp of [
      "hello",
      `${OFFER}${"a=x\r\n".repeat(15_000)}`,
      OFFER_WITHOUT_SOUND,
      OFFER.replace("a=sendrecv", "a=recvonly"),
      OFFER_WITHOUT_CHANNEL,
      `${OFFER}m=video 9 UDP/TLS/RTP/SAVPF 97\r\n`,
      OFFER.replace(/a=fingerprint:.*\r\n/g, ""),
      OFFER.replace(/opus/gi, "pcmu"),
    ])
      expect(await refused({ sdp }), sdp.slice(0, 500)).toEqual(bad);
    voice.failWith("refused");
    expect(await refused({ sdp: OFFER }), "the process cannot answer it").toEqual(bad);
  });

  test("lasts 15 to 600 seconds, with one of three ways of reading aloud", async () => {
    const time = [400, "invalid_request", "/body/lifetime_seconds"];
    expect(await refused({ lifetime_seconds: 14 })).toEqual(time);
    expect(await refused({ lifetime_seconds: 601 })).toEqual(time);
    expect(await refused({ lifetime_seconds: 15.5 })).toEqual(time);
    expect(await refused({ playback: "loud" })).toEqual([400, "invalid_request", "/body/playback"]);
  });

  test("of a token, of somebody else's Workspace, or where the plan does not include Discuss is refused", async () => {
    const { home, ada } = await talkers(running);
    const token = await home.token(["svc:discuss", "svc:read", "svc:write"]);
    const path = discussPath(home, "voice/sessions");
    const body = { sdp: OFFER };
    expect((await ada.bearer(token, "POST", path, { body })).body.code).toBe("credential_kind_not_allowed");
    const stranger = (await world(running)).owner;
    expect((await begin(stranger, home)).status).toBe(404);
    await running.asOwner(`create or replace function entitled(workspace uuid, entitlement text) returns boolean
      language sql stable parallel safe return entitlement <> 'discuss' or workspace <> '${home.workspaceId}'`);
    const left = await begin(ada, home);
    expect([left.status, left.body.code]).toEqual([403, "discuss_not_included"]);
  });

  test("is answered with 503 where nothing hears and speaks", async () => {
    const { home, ada } = await talkers(running);
    voice.failWith("unavailable");
    const answer = await begin(ada, home);
    expect([answer.status, answer.body.code]).toEqual([503, "voice_unavailable"]);
  });
});
