// Provider webhooks: refused with equal answers, stored once by the commit that answers, processed in order, and with
// one effect however often a delivery is processed.

import { MOST_DELIVERED } from "@svc/contract/connect/integrations/webhooks.ts";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  PLANTED_SECRET,
  plantBinding,
  plantInstallation,
  plantResource,
  signedNow,
} from "../../../test/integrations.ts";
import { newProject } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { signed } from "../../platform/wire/standard-webhooks.ts";

const running = service({ roles: ["api", "worker"] });
const JSON_TYPE = { "content-type": "application/json" };

async function at(rules: Record<string, unknown> = { create_tasks: true }) {
  const home = await world(running);
  const project = await newProject(home);
  const { id, actorId } = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const resource = await plantResource(running, home.workspaceId, id);
  const bound = { installationId: id, resourceId: resource.id, projectId: project.id, rules };
  await plantBinding(running, home.workspaceId, home.owner.actorId, bound);
  const path = `/webhooks/integrations/webhook/${id}`;
  const deliver = (body: unknown, headers?: Record<string, string>) => {
    const raw = JSON.stringify(body);
    return running.send("POST", path, { raw, headers: { ...JSON_TYPE, ...(headers ?? signedNow(raw)) } });
  };
  return { home, owner: home.owner, project, id, actorId, path, deliver };
}
type At = Awaited<ReturnType<typeof at>>;
const statesOf = ({ home, id }: At) =>
  running.sql<{ state: string; attempts: number }>(
    "select state, attempts from integration_deliveries where installation_id = $1 order by number",
    [id],
    home.workspaceId,
  );
const worked = (place: At, count: number) =>
  eventually(async () => {
    const states = await statesOf(place);
    expect(states.filter(({ state }) => state !== "waiting")).toHaveLength(count);
    return states.map(({ state }) => state);
  });
const tasksOf = async ({ owner, project }: At) =>
  (await owner.call("GET", `/projects/${project.id}/tasks?sort=created`)).body.items;

describe("a delivery", () => {
  test("makes a Task with what it tells at it, as the installation, and moves on with it", async () => {
    const place = await at();
    const { owner, deliver, actorId } = place;
    const sent = { id: "build-7", title: "The build is red", text: "Ask @ada", url: "https://ci.example.com/7" };
    expect(await deliver(sent)).toMatchObject({ status: 200, body: {} });
    expect(await worked(place, 1)).toEqual(["done"]);
    const [task] = await tasksOf(place);
    expect(task).toMatchObject({ title: "The build is red", created_by_actor_id: actorId });
    const whole = (await owner.call("GET", `/tasks/${task.id}`)).body;
    expect(whole.description_markdown).toBe("Ask @\u200bada\n\n<https://ci.example.com/7>");
    await deliver({ ...sent, state: "closed" });
    expect(await worked(place, 2)).toEqual(["done", "done"]);
    const entities = await owner.call("GET", `/tasks/${task.id}/rich-entities`);
    expect(entities.body.items).toMatchObject([
      {
        provider_key: "webhook",
        kind: "delivery",
        title: "The build is red",
        url: sent.url,
        state: "closed",
        revision: "2",
        checks: null,
      },
    ]);
    expect(await tasksOf(place)).toHaveLength(1);
  });

  test("has one effect however often it comes, and is told the same", async () => {
    const place = await at();
    const body = { id: "1", title: "Once" };
    const headers = signedNow(JSON.stringify(body));
    const answers = await Promise.all([place.deliver(body, headers), place.deliver(body, headers)]);
    answers.push(await place.deliver(body, headers));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: {} });
    await worked(place, 1);
    expect(await tasksOf(place)).toHaveLength(1);
    // As if the process had died behind its effect: it is worked again.
    await running.asOwner("update integration_deliveries set state = 'waiting' where installation_id = $1", [place.id]);
    await place.deliver({ id: "2", title: "Twice" });
    await worked(place, 2);
    expect((await tasksOf(place)).map(({ title }: { title: string }) => title)).toEqual(["Twice", "Once"]);
  });

  test("is worked in the order in which it came", async () => {
    const place = await at();
    const titles = Array.from({ length: 20 }, (_, at) => `Number ${at}`);
    for (const [id, title] of titles.entries()) await place.deliver({ id, title });
    await worked(place, 20);
    expect((await tasksOf(place)).map(({ title }: { title: string }) => title)).toEqual(titles.toReversed());
  });

  test("means nothing where nobody wants to know: without a rule, a subscription or a binding", async () => {
    const quiet = await at({});
    await quiet.deliver({ id: "1", title: "No rule" });
    expect(await worked(quiet, 1)).toEqual(["done"]);
    const place = await at();
    await running.asOwner("update integration_subscriptions set enabled = false where workspace_id = $1", [
      place.home.workspaceId,
    ]);
    await place.deliver({ id: "1", title: "No subscription" });
    expect(await worked(place, 1)).toEqual(["ignored"]);
    expect([...(await tasksOf(quiet)), ...(await tasksOf(place))]).toEqual([]);
  });

  test("does nothing in a Project that is archived, and others of the lane go on", async () => {
    const place = await at();
    await running.asOwner("update projects set archived_at = now() where id = $1", [place.project.id]);
    await place.deliver({ id: "1", title: "Too late" });
    await worked(place, 1);
    await running.asOwner("update projects set archived_at = null where id = $1", [place.project.id]);
    await place.deliver({ id: "2", title: "In time" });
    await worked(place, 2);
    expect(await tasksOf(place)).toMatchObject([{ title: "In time" }]);
  });
});

describe("refused with the same words", () => {
  test("what is forged, old, too large, malformed, of another kind, or for nothing that is connected", async () => {
    const place = await at();
    const other = await at();
    const raw = JSON.stringify({ id: "1", title: "Forged" });
    const good = () => ({ ...JSON_TYPE, ...signedNow(raw) });
    const hour = new Date(Date.now() - 301_000);
    const huge = Buffer.alloc(MOST_DELIVERED + 1, 0x20);
    const path = (provider: string, id: string) => `/webhooks/integrations/${provider}/${id}`;
    const correlation = { "x-correlation-id": "the-same" };
    const attempts: [string, { raw: string | Buffer; headers: Record<string, string> }][] = [
      [place.path, { raw, headers: JSON_TYPE }],
      [place.path, { raw: `${raw} `, headers: good() }],
      [place.path, { raw, headers: { ...good(), "webhook-id": newId() } }],
      [
        place.path,
        { raw, headers: { ...JSON_TYPE, ...signedNow(raw, newId(), `${PLANTED_SECRET.slice(0, -4)}AAA=`) } },
      ],
      [place.path, { raw, headers: { ...JSON_TYPE, ...signed([PLANTED_SECRET], newId(), Buffer.from(raw), hour) } }],
      [place.path, { raw: huge, headers: { ...JSON_TYPE, ...signedNow(huge) } }],
      [place.path, { raw: "{", headers: { ...JSON_TYPE, ...signedNow("{") } }],
      [place.path, { raw: "[]", headers: { ...JSON_TYPE, ...signedNow("[]") } }],
      [place.path, { raw: "", headers: { ...JSON_TYPE, ...signedNow("") } }],
      [place.path, { raw, headers: { ...good(), "content-type": "text/plain" } }],
      [place.path, { raw, headers: { ...good(), "content-encoding": "gzip" } }],
      [path("webhook", newId()), { raw, headers: good() }],
      [path("github", place.id), { raw, headers: good() }],
      [path("nobody", place.id), { raw, headers: good() }],
    ];
    await running.asOwner("update integration_installations set state = 'revoked' where id = $1", [other.id]);
    attempts.push([other.path, { raw, headers: good() }]);
    const answers = [];
    for (const [to, { headers, ...options }] of attempts)
      answers.push(await running.send("POST", to, { ...options, headers: { ...headers, ...correlation } }));
    for (const { status, text } of answers) expect([status, text]).toEqual([404, answers[0]?.text]);
    expect([...(await statesOf(place)), ...(await statesOf(other))]).toEqual([]);
    // As large as it may be, it is taken.
    const most = Buffer.from(raw.padEnd(MOST_DELIVERED, " "));
    const taken = await running.send("POST", place.path, { raw: most, headers: { ...JSON_TYPE, ...signedNow(most) } });
    expect(taken.status).toBe(200);
  });

  test("of a removed one, and of one in an archived Workspace", async () => {
    for (const change of [
      "update integration_installations set removed_at = now() where workspace_id = $1",
      "update workspaces set archived_at = now() where id = $1",
    ]) {
      const place = await at();
      await running.asOwner(change, [place.home.workspaceId]);
      expect((await place.deliver({ id: "1", title: "Gone" })).status).toBe(404);
    }
  });
});
