// Chat integration, from connecting it to posts in the channel: a message becomes a Task and gets a reply, links and
// codes are unfurled, and the channel is notified.
import { afterAll, beforeEach, expect, test } from "vitest";
import { bindTo, resourcesOf } from "../../../test/connected-forge.ts";
import { eventually } from "../../../test/eventually.ts";
import { reachingFrom, signedBySlack } from "../../../test/integrations.ts";
import { type AskedOf, standIn } from "../../../test/providers/stand-in.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, sessionHeaders, type World, world } from "../../../test/world.ts";
import type { JobParts } from "../../platform/background/jobs.ts";
import { tellProviders } from "./send/outbound-notifications.ts";

const SECRET = "slack's";
const chat = await standIn();
afterAll(() => chat.close());
const apps = { slack: { url: chat.origin, client_id: "1", client_secret: "1", signing_secret: SECRET } };
const running = service({ roles: ["api", "worker"], apps });

let last = 100;
const next = (letter: string) => `${letter}${++last}`;
const moment = () => `${Math.floor(Date.now() / 1000)}.000${++last}`;
interface Post {
  channel: string;
  text: string;
  thread_ts?: string;
}
interface Unfurl {
  channel: string;
  ts: string;
  unfurls: Record<string, { title: string; text: string }>;
}
const writes = <T>(method: string) =>
  chat.asked.filter(({ path }) => path === `/api/${method}`).map(({ body }) => body as T);
const posts = (channel: string) => writes<Post>("chat.postMessage").filter((post) => post.channel === channel);
const unfurls = (channel: string) => writes<Unfurl>("chat.unfurl").filter((each) => each.channel === channel);
beforeEach(() => {
  chat.on("POST /api/chat.postMessage", () => ({ ok: true, ts: moment() }));
  chat.on("POST /api/chat.unfurl", { ok: true });
});

/** Through Slack and back, as the owner; with one channel. */
async function connected(home: World) {
  const [team, channel] = [next("T"), next("C")];
  chat.on("POST /api/oauth.v2.access", {
    ok: true,
    access_token: "xoxb-1",
    team: { id: team, name: "Acme" },
    authed_user: { id: "U1" },
  });
  chat.on("GET /api/users.info", { ok: true, user: { name: "ada" } });
  chat.on("GET /api/conversations.list", { ok: true, channels: [{ id: channel, name: "general" }] });
  const { owner, workspaceId } = home;
  const begun = await owner.call("POST", `/workspaces/${workspaceId}/integration-authorizations`, {
    body: { provider_key: "slack", purpose: "installation" },
  });
  const state = new URL(begun.body.authorize_url).searchParams.get("state") ?? "";
  const { cookie = "" } = sessionHeaders(owner.session);
  await running.send("GET", `/integration-authorizations/callback?state=${state}&code=1`, { headers: { cookie } });
  const { body } = await owner.call("GET", `/workspaces/${workspaceId}/integration-installations`);
  const installationId: string = body.items[0].id;
  const resource = await eventually(async () => {
    const [first] = await resourcesOf(owner, installationId);
    expect(first?.external_id).toBe(channel);
    return first as { id: string };
  });
  return { team, channel, installationId, resourceId: resource.id };
}
const slugOf = ({ workspaceId }: World) => `test-${workspaceId}`.slice(0, 48);
const KINDS = ["message", "link", "task_created"];
async function at(rules: object = { create_tasks: true }, kinds = KINDS) {
  const home = await world(running);
  const project = await newProject(home);
  const there = await connected(home);
  await bindTo(home.owner, project.id, there.installationId, there.resourceId, rules, kinds);
  const { team, channel, installationId } = there;
  const send = async (raw: string, type: string) => {
    const headers = { "content-type": type, ...signedBySlack(raw, SECRET) };
    expect((await running.send("POST", "/webhooks/integrations/slack", { raw, headers })).status).toBe(200);
  };
  const deliveries = () =>
    running.sql<{ state: string }>(
      "select state from integration_deliveries where installation_id = $1",
      [installationId],
      home.workspaceId,
    );
  return {
    home,
    owner: home.owner,
    project,
    channel,
    deliveries,
    event: (event: object) =>
      send(
        JSON.stringify({ type: "event_callback", team_id: team, event_id: next("Ev"), event: { channel, ...event } }),
        "application/json",
      ),
    /** A shortcut on a message. */
    shortcut(message: object) {
      const payload = {
        type: "message_action",
        callback_id: "create_task",
        trigger_id: next("t"),
        team: { id: team },
        channel: { id: channel },
        user: { id: "U2", username: "grace" },
        message,
      };
      return send(
        new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
        "application/x-www-form-urlencoded",
      );
    },
    worked: (count: number) =>
      eventually(async () => {
        const states = (await deliveries()).map(({ state }) => state);
        expect(states.filter((state) => state !== "waiting")).toHaveLength(count);
      }),
    tasks: async () => (await home.owner.call("GET", `/projects/${project.id}/tasks`)).body.items,
    page: (code: string, slug = slugOf(home)) => `${running.url}/workspaces/${slug}/tasks/${code}`,
  };
}
const told = () => tellProviders(reachingFrom(running, apps) as unknown as JobParts);
/** What is sent later than all before it: whatever else there was has been sent. */
async function settled({ owner, project, channel }: Awaited<ReturnType<typeof at>>) {
  const { title } = await newTask(owner, project.id, { title: `Last ${next("")}` });
  await told();
  await eventually(() => expect(posts(channel).at(-1)?.text).toContain(title));
}

test("a message becomes a Task, and is answered in its thread with code and link; asked again, with the same", async () => {
  const place = await at();
  const { owner, channel } = place;
  const ts = moment();
  const message = { ts, text: "The lift is stuck\nSince <!channel> noon" };
  await place.shortcut(message);
  const [first] = await eventually(() => {
    expect(posts(channel)).toHaveLength(1);
    return posts(channel);
  });
  const [task] = await place.tasks();
  expect(task).toMatchObject({ title: "The lift is stuck" });
  expect(first).toMatchObject({
    thread_ts: ts,
    text: `Created ${task.code}: The lift is stuck\n${place.page(task.code)}`,
  });
  await place.shortcut(message);
  await eventually(() => expect(posts(channel)).toHaveLength(2));
  expect(posts(channel)[1]).toMatchObject({ thread_ts: ts, text: expect.stringContaining(`This is ${task.code}:`) });
  expect(await place.tasks()).toHaveLength(1);
  const entities = await owner.call("GET", `/tasks/${task.id}/rich-entities`);
  expect(entities.body.items).toMatchObject([{ kind: "message", provider_key: "slack" }]);
  // One that stands in a thread is answered there.
  await place.shortcut({ ts: moment(), thread_ts: ts, text: "And the door" });
  await eventually(() => expect(posts(channel)).toHaveLength(3));
  expect(posts(channel)[2]).toMatchObject({ thread_ts: ts });
  // What came from here is not announced here: only what people do is.
  await settled(place);
  expect(posts(channel)).toHaveLength(4);
});

test("without the rule no Task is made and nothing is said; nor in an archived Project", async () => {
  for (const [rules, archived] of [
    [{}, false],
    [{ create_tasks: true }, true],
  ] as const) {
    const place = await at(rules);
    if (archived) await running.asOwner("update projects set archived_at = now() where id = $1", [place.project.id]);
    await place.shortcut({ ts: moment(), text: "Nobody hears" });
    await place.worked(1);
    expect([await place.tasks(), posts(place.channel)]).toEqual([[], []]);
  }
});

test("links to Tasks of bound Projects are shown; all others are as if they led nowhere", async () => {
  const place = await at();
  const { home, owner, project, channel } = place;
  const hidden = await newProject(home);
  const other = await world(running);
  const [task, opened, trashed] = [
    await newTask(owner, project.id, { title: "Paint <the> fence" }),
    await newTask(owner, project.id),
    await newTask(owner, project.id),
  ];
  const unbound = await newTask(owner, hidden.id, { title: "Nobody reads it here" });
  const elsewhere = await newTask(other.owner, (await newProject(other)).id);
  expect((await owner.call("POST", `/tasks/${trashed.id}/trash`, { ifMatch: "1" })).status).toBe(200);
  const good = [
    place.page(task.code),
    `${running.url}/workspaces/${slugOf(home)}/projects/${project.key}?task=${opened.id}`,
  ];
  const bad = [
    ...[place.page(unbound.code), place.page(trashed.code), place.page("NONE-1"), place.page(task.code, slugOf(other))],
    `${running.url}/workspaces/${slugOf(home)}/home?task=${unbound.id}`,
    `${running.url}/workspaces/${slugOf(other)}/home?task=${elsewhere.id}`,
    `https://svc.example/workspaces/${slugOf(home)}/tasks/${task.code}`,
  ];
  const shared = (urls: string[], ts = moment()) =>
    place.event({ type: "link_shared", message_ts: ts, user: "U2", links: urls.map((url) => ({ url })) });
  await shared(bad);
  const ts = moment();
  await shared([...bad.slice(0, 3), ...good], ts);
  const [shown] = await eventually(() => {
    expect(unfurls(channel)).toHaveLength(1);
    return unfurls(channel) as [Unfurl];
  });
  expect([shown.ts, Object.keys(shown.unfurls)]).toEqual([ts, good]);
  expect(shown.unfurls[good[0] as string]).toMatchObject({ title: `${task.code}: Paint &lt;the&gt; fence` });
  expect(JSON.stringify(shown.unfurls)).not.toContain(unbound.title);
  await place.worked(2);
});

test("codes in what somebody says are answered once, of bound Projects alone; what names none is not even kept", async () => {
  const place = await at({ create_tasks: true }, ["message", "link"]);
  const { home, owner, project, channel } = place;
  const task = await newTask(owner, project.id);
  const unbound = await newTask(owner, (await newProject(home)).id);
  const ts = moment();
  const message = { type: "message", user: "U2" };
  await place.event({ ...message, ts: moment(), text: "Lunch at noon?" });
  await place.event({ ...message, ts: moment(), text: `See <${place.page(task.code)}|${task.code}>` });
  await place.event({ ...message, ts: moment(), text: `From a program: ${task.code}`, bot_id: "B1" });
  await place.event({ ...message, ts: moment(), text: `Changed: ${task.code}`, subtype: "message_changed" });
  expect(await place.deliveries()).toEqual([]);
  await place.event({ ...message, ts: moment(), text: `About ${unbound.code}` });
  await place.event({ ...message, ts, text: `Who has ${task.code} and ${unbound.code}?` });
  await place.worked(2);
  const [answer] = await eventually(() => {
    expect(posts(channel)).toHaveLength(1);
    return posts(channel) as [Post];
  });
  expect(answer.thread_ts).toBe(ts);
  expect(answer.text).toMatch(new RegExp(`^${task.code}: .* · .+\\n${place.page(task.code)}$`));
});

test("a channel is told of what people do, and of nothing without a subscription", async () => {
  const place = await at({}, ["task_created"]);
  const task = await newTask(place.owner, place.project.id, { title: "Tell everybody" });
  await told();
  await eventually(() => expect(posts(place.channel)).toHaveLength(1));
  expect(posts(place.channel)[0]?.text).toContain(`created ${task.code}: Tell everybody\n${place.page(task.code)}`);
  await place.event({ type: "message", user: "U2", ts: moment(), text: task.code });
  await place.worked(1);
  await settled(place);
  expect(posts(place.channel)).toHaveLength(2);
});

test("what the channel does not take is an action that has failed, and nothing else", async () => {
  const place = await at();
  chat.on("POST /api/chat.postMessage", (_asked: AskedOf) => ({ ok: false, error: "not_in_channel" }));
  await place.shortcut({ ts: moment(), text: "Kept all the same" });
  await eventually(async () => {
    const sql = "select state, error_code from integration_actions where workspace_id = $1";
    expect(await running.sql(sql, [place.home.workspaceId], place.home.workspaceId)).toEqual([
      { state: "failed", error_code: "resource_missing" },
    ]);
  });
  expect(await place.tasks()).toMatchObject([{ title: "Kept all the same" }]);
});
