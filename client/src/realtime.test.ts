// Following changes with the client, against a real service: what is told is applied and acknowledged in order, and
// nothing is missed when the socket ends, the journal cannot be told any more, or applying fails.
import { expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../server/src/platform/wire/ids.ts";
import { eventually } from "../../server/test/eventually.ts";
import { nativeClient, nativeTokens } from "../../server/test/native.ts";
import { newTask, workshopOn } from "../../server/test/work.ts";
import { type Person, service, sessionHeaders } from "../../server/test/world.ts";
import { type Channel, type ClientOptions, createClient, type Followed, type RealtimeOptions } from "./client.ts";

const running = service();
const { WebSocket } = globalThis as unknown as { WebSocket: new (url: string, options: unknown) => Channel };

/** Follows as a page would, and notes what it is told; `cut` ends its socket without a word. */
function following(client: ClientOptions, what: Followed = { scope: "workspace" }, given: RealtimeOptions = {}) {
  const svc = createClient({ url: running.url, ...client });
  const [told, states, reasons]: [string[], string[], string[]] = [[], [], []];
  const online: (Readonly<Record<string, boolean>> | null)[] = [];
  let [current, fails]: [Channel | null, number] = [null, 0];
  const live = svc.realtime({
    onState: (state, reason) => states.push(`${state} ${reason}`.trim()),
    onPresence: (known) => online.push(known),
    open: (url, protocol, headers) => {
      current = new WebSocket(url, { protocols: [protocol], headers: { origin: running.url, ...headers } });
      return current;
    },
    ...given,
  });
  onTestFinished(() => live.close());
  const followed = live.follow(what, {
    async baseline(reason) {
      const { scope, ...rest } = what;
      const { cursor } = await svc.getRealtimeBaseline({ ...(scope === "workspace" ? {} : { scope }), ...rest });
      reasons.push(reason);
      return cursor;
    },
    changed(changes) {
      if (fails-- > 0) throw new Error("planted");
      told.push(...changes.map(({ id }) => id));
    },
  });
  const state = {
    told,
    states,
    reasons,
    online,
    live,
    followed,
    cut: () => current?.close(),
    failNext: () => {
      fails = 1;
    },
  };
  return { ...state, hears: (id: string) => eventually(() => expect(told).toContain(id)) };
}
const asSession = ({ session }: Person): ClientOptions => ({ headers: sessionHeaders(session) });
const begun = ({ states }: { states: string[] }) => eventually(() => expect(states).toContain("live"));

test("what changes after the baseline is told, and what came while there was no socket is told when it is back", async () => {
  const { owner, project } = await workshopOn(running);
  const page = following(asSession(owner));
  await begun(page);
  const first = await newTask(owner, project.id);
  await page.hears(first.id);
  page.cut();
  const second = await newTask(owner, project.id);
  await page.hears(second.id);
  expect(page.told.filter((id) => id === first.id)).toHaveLength(1);
  expect(page.reasons).toEqual(["begin"]);
  expect(page.states).toEqual(["connecting", "live", "connecting", "live"]);
  page.followed.close();
  await newTask(owner, project.id);
});

test("whoever keeps the cursor that is applied goes on from there at the next visit", async () => {
  const { owner, project } = await workshopOn(running);
  const svc = createClient({ url: running.url, ...asSession(owner) });
  /** A visit that goes on from `from`: what it is told, and up to where that is applied. */
  const visit = (from: string | null) => {
    const [told, applied]: [string[], string[]] = [[], []];
    const live = svc.realtime({
      open: (url, protocol, headers) =>
        new WebSocket(url, { protocols: [protocol], headers: { origin: running.url, ...headers } }),
    });
    onTestFinished(() => live.close());
    live.follow(
      { scope: "workspace" },
      {
        baseline: async () => from ?? (await svc.getRealtimeBaseline()).cursor,
        changed: (changes) => void told.push(...changes.map(({ id }) => id)),
        applied: (cursor) => void applied.push(cursor),
      },
    );
    return { told, applied, close: () => live.close() };
  };
  const first = visit(null);
  await eventually(() => expect(first.applied).not.toEqual([]));
  const seen = await newTask(owner, project.id);
  await eventually(() => expect(first.told).toContain(seen.id));
  await eventually(() => expect(first.applied.length).toBeGreaterThan(1));
  first.close();
  const missed = await newTask(owner, project.id);
  const second = visit(first.applied.at(-1) as string);
  await eventually(() => expect(second.told).toContain(missed.id));
  expect(second.told).not.toContain(seen.id);
});

test("what could not be applied is read anew, and nothing behind it counts as applied", async () => {
  const { owner, project } = await workshopOn(running);
  const page = following(asSession(owner));
  await begun(page);
  await page.hears((await newTask(owner, project.id)).id);
  page.failNext();
  await newTask(owner, project.id);
  await eventually(() => expect(page.reasons).toEqual(["begin", "failed"]));
  await page.hears((await newTask(owner, project.id)).id);
});

test("a new baseline is read where the role has changed", async () => {
  const { home, owner, project } = await workshopOn(running);
  const admin = await home.member("admin");
  const page = following(asSession(admin));
  await begun(page);
  await page.hears((await newTask(owner, project.id)).id);
  const { body } = await owner.call("GET", `/workspaces/${home.workspaceId}/members?limit=100`);
  const { id, revision } = body.items.find(({ user_id }: { user_id: string }) => user_id === admin.userId);
  const path = `/workspaces/${home.workspaceId}/members/${id}`;
  expect((await owner.call("PATCH", path, { body: { role: "member" }, ifMatch: revision })).status).toBe(200);
  await eventually(() => expect(page.reasons).toEqual(["begin", "access_changed"]));
  await page.hears((await newTask(owner, project.id)).id);
});

test("it ends where the session does, and says why", async () => {
  const { owner } = await workshopOn(running);
  const page = following(asSession(owner));
  await begun(page);
  await owner.call("POST", "/auth/logout");
  await eventually(() => expect(page.states.at(-1)).toBe("ended session_ended"));
});

test("with a token it comes back with the next one of its grant, and goes on where it was", async () => {
  const { home, owner, project } = await workshopOn(running);
  const issued = await nativeTokens(running, owner.userId);
  const tokens = [issued.access];
  const token = async (refused: boolean) => {
    if (refused) tokens.push((await nativeClient(running).refresh(issued)).body.access_token);
    return tokens.at(-1) as string;
  };
  const client = { token, workspaceId: home.workspaceId };
  const page = following(client, { scope: "projects" }, { open: undefined as never });
  await begun(page);
  await eventually(() => expect(page.reasons).toEqual(["begin"]));
  const end = "update credentials set expires_at = now() where secret_hash = $1";
  await running.sql(end, [sha256(tokens[0] as string)]);
  await eventually(() => expect(page.states).toEqual(["connecting", "live", "connecting", "live"]));
  await owner.call("PATCH", `/projects/${project.id}`, { body: { name: "Renamed" }, ifMatch: project.revision });
  await page.hears(project.id);
  expect([tokens.length, page.reasons]).toEqual([2, ["begin"]]);
});

test("somebody who follows the Workspace is seen to be there", async () => {
  const { home, owner } = await workshopOn(running);
  const member = await home.member("member");
  const watching = following(asSession(owner));
  watching.live.observe([member.userId]);
  await eventually(() => expect(watching.online.at(-1)).toEqual({ [member.userId]: false }));
  const other = following(asSession(member));
  await eventually(() => expect(watching.online.at(-1)).toEqual({ [member.userId]: true }));
  other.live.close();
  await eventually(() => expect(watching.online.at(-1)).toEqual({ [member.userId]: false }));
});
