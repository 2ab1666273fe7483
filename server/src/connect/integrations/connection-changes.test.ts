// Provider events about the connection itself: a change there refreshes the list of resources, and a removal revokes
// the connection and publishes an event to the Workspace.
import { afterAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { plantBinding, plantInstallation, plantResource, signedBySlack } from "../../../test/integrations.ts";
import { standIn } from "../../../test/providers/stand-in.ts";
import { eventsOf, newProject } from "../../../test/work.ts";
import { service, testKeys, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { credentialRow } from "./rules.ts";

const SECRET = "of the app";
const chat = await standIn({ "GET /api/conversations.list": () => ({ ok: true, channels }) });
afterAll(chat.close);
let channels: { id: string; name: string }[] = [];
const app = { client_id: "1", client_secret: "1", signing_secret: SECRET, url: chat.origin };
const running = service({ roles: ["api", "worker"], apps: { slack: app } });

async function at() {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const team = newId();
  const { id } = await plantInstallation(running, workspaceId, owner.actorId, { provider: "slack", externalId: team });
  const sealed = secretBox(testKeys).seal(JSON.stringify({ access: "token" }), credentialRow(id));
  await running.sql(
    "update integration_installations set sealed_credential = $2 where id = $1",
    [id, sealed],
    workspaceId,
  );
  const tell = async (type: string) => {
    const raw = JSON.stringify({ type: "event_callback", team_id: team, event_id: newId(), event: { type } });
    const headers = { "content-type": "application/json", ...signedBySlack(raw, SECRET) };
    expect((await running.send("POST", "/webhooks/integrations/slack", { raw, headers })).status).toBe(200);
  };
  const names = async () => {
    const { items } = (await owner.call("GET", `/integration-installations/${id}/resources`)).body;
    return items.map(({ name }: { name: string }) => name);
  };
  return { home, owner, id, tell, names };
}

test("what comes and goes there is listed anew, and what is bound to something that is gone says so", async () => {
  const { home, owner, id, tell, names } = await at();
  const project = await newProject(home);
  const { id: resourceId } = await plantResource(running, home.workspaceId, id, "C1");
  await plantBinding(running, home.workspaceId, owner.actorId, {
    installationId: id,
    resourceId,
    projectId: project.id,
  });
  const listed = async () =>
    (await owner.call("GET", `/projects/${project.id}/integration-bindings`)).body.items[0].resource.listed;
  channels = [{ id: "C1", name: "general" }];
  await tell("channel_created");
  await eventually(async () => expect([await names(), await listed()]).toEqual([["general"], true]));
  channels = [{ id: "C2", name: "other" }];
  await tell("channel_archive");
  await eventually(async () => expect([await names(), await listed()]).toEqual([["other"], false]));
  const states = "select state from integration_deliveries where installation_id = $1 and state <> 'waiting'";
  await eventually(async () =>
    expect(await running.sql(states, [id], home.workspaceId)).toEqual([{ state: "done" }, { state: "done" }]),
  );
});

test("one that was removed there is revoked, without its credential, and recorded once", async () => {
  const { home, owner, id, tell } = await at();
  await tell("app_uninstalled");
  await eventually(async () => {
    const { body } = await owner.call("GET", `/integration-installations/${id}`);
    expect(body).toMatchObject({ state: "revoked", error_code: "removed" });
  });
  const forgotten = "select from integration_installations where id = $1 and sealed_credential is null";
  expect(await running.sql(forgotten, [id], home.workspaceId)).toHaveLength(1);
  const events = (await eventsOf(running, home, id)).map(({ type }) => type);
  expect(events).toEqual(["integration_installation.changed"]);
});
