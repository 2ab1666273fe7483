// Bindings of a connection's resources to Projects: who may manage them, their rules and their subscriptions.
import { expect, test } from "vitest";
import { plantInstallation, plantResource } from "../../../test/integrations.ts";
import { newProject, newProjectStatus } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { MOST_BINDINGS } from "./bindings.ts";

const running = service();

async function stage() {
  const home = await world(running);
  const project = await newProject(home);
  const { id: installation_id } = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const resource = async () => (await plantResource(running, home.workspaceId, installation_id, newId())).id;
  const bind = async (person: Person = home.owner, more: object = {}, projectId = project.id) =>
    person.call("POST", `/projects/${projectId}/integration-bindings`, {
      body: { installation_id, resource_id: await resource(), ...more },
    });
  return { home, project, installation_id, resource, bind };
}
const statusesOf = async (person: Person, projectId: string) =>
  (await person.call("GET", `/projects/${projectId}/statuses`)).body.items as { id: string }[];
const leadOf = async ({ member, owner }: World, projectId: string) => {
  const person = await member("member");
  await owner.call("POST", `/projects/${projectId}/members`, { body: { actor_id: person.actorId, role: "lead" } });
  return person;
};

test("a Project is bound to a resource once, with rules that start at nothing", async () => {
  const { home, project, installation_id, resource, bind } = await stage();
  const [status] = await statusesOf(home.owner, project.id);
  const resource_id = await resource();
  const made = await bind(home.owner, { resource_id, rules: { merged_status_id: status?.id, create_tasks: true } });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    project_id: project.id,
    installation_id,
    resource_id,
    provider_key: "webhook",
    rules: {
      opened_status_id: null,
      review_status_id: null,
      merged_status_id: status?.id,
      sync_comments: false,
      create_tasks: true,
      resolve_with_task: false,
    },
    capabilities: ["integration_binding:update", "integration_binding:delete"],
  });
  expect((await bind(home.owner, { resource_id })).body.code).toBe("binding_exists");
  const other = await newProject(home);
  expect((await bind(home.owner, { resource_id }, other.id)).status, "another Project may, too").toBe(201);
  const listed = await (await home.member("viewer")).call("GET", `/projects/${project.id}/integration-bindings`);
  expect(listed.body.items.map((each: { id: string }) => each.id)).toEqual([made.body.id]);
});

test("what it refers to must be there, and be of this Workspace and Project", async () => {
  const { home, project, installation_id, bind } = await stage();
  const other = await stage();
  const elsewhere = await newProject(home);
  const [foreign] = await statusesOf(other.home.owner, other.project.id);
  const own = await newProjectStatus(running, home, elsewhere.id, "Own");
  const second = await plantInstallation(running, home.workspaceId, home.owner.actorId);
  const cases: [object, string][] = [
    [{ installation_id: newId() }, "/body/installation_id"],
    [{ installation_id: other.installation_id }, "/body/installation_id"],
    [{ resource_id: newId() }, "/body/resource_id"],
    [{ resource_id: await other.resource() }, "/body/resource_id"],
    [{ installation_id: second.id }, "/body/resource_id"],
    [{ rules: { merged_status_id: newId() } }, "/body/rules/merged_status_id"],
    [{ rules: { opened_status_id: foreign?.id } }, "/body/rules/opened_status_id"],
    [{ rules: { review_status_id: own } }, "/body/rules/review_status_id"],
  ];
  for (const [body, pointer] of cases) {
    const { status, body: told } = await bind(home.owner, body);
    expect([status, told.code, told.errors?.[0].pointer], pointer).toEqual([422, "invalid_reference", pointer]);
  }
  const revoke = "update integration_installations set state = 'revoked' where id = $1";
  await running.sql(revoke, [installation_id], home.workspaceId);
  expect((await bind()).body.code).toBe("installation_revoked");
  expect((await home.owner.call("GET", `/projects/${project.id}/integration-bindings`)).body.items).toEqual([]);
});

test("leads of the Project and those who manage bind, change and end; others read", async () => {
  const { home, project, bind } = await stage();
  const [lead, member] = [await leadOf(home, project.id), await home.member("member")];
  const made = await bind(lead);
  expect(made.status).toBe(201);
  const one = `/integration-bindings/${made.body.id}`;
  const change = { body: { rules: { sync_comments: true } }, ifMatch: "1" };
  expect((await bind(member)).status).toBe(403);
  expect((await member.call("PATCH", one, change)).status).toBe(403);
  expect((await member.call("DELETE", one)).status).toBe(403);
  expect((await member.call("POST", `${one}/subscriptions`, { body: { event_kinds: ["message"] } })).status).toBe(403);
  expect((await member.call("GET", `${one}/subscriptions`)).status).toBe(200);
  const changed = await lead.call("PATCH", one, change);
  expect([changed.body.revision, changed.body.rules.sync_comments]).toEqual(["2", true]);
  expect((await lead.call("PATCH", one, change)).body.code).toBe("revision_conflict");
  expect((await lead.call("PATCH", one, { ...change, ifMatch: "2" })).body.revision, "nothing has changed").toBe("2");
  const wrong = { body: { rules: { merged_status_id: newId() } }, ifMatch: "2" };
  expect((await lead.call("PATCH", one, wrong)).body.code).toBe("invalid_reference");
  expect((await lead.call("DELETE", one)).status).toBe(204);
  expect((await lead.call("DELETE", one)).status).toBe(404);
});

test("bindings of a private Project, and of an ended connection, are not there", async () => {
  const { home, installation_id, resource } = await stage();
  const hidden = await newProject(home, { visibility: "private" });
  const body = { installation_id, resource_id: await resource() };
  const made = await home.owner.call("POST", `/projects/${hidden.id}/integration-bindings`, { body });
  const one = `/integration-bindings/${made.body.id}`;
  const member = await home.member("member");
  for (const path of [`${one}/subscriptions`, `/projects/${hidden.id}/integration-bindings`])
    expect((await member.call("GET", path)).status).toBe(404);
  expect((await member.call("DELETE", one)).status).toBe(404);
  expect((await home.owner.call("DELETE", `/integration-installations/${installation_id}`)).status).toBe(204);
  expect((await home.owner.call("GET", `${one}/subscriptions`)).status).toBe(404);
  expect((await home.owner.call("GET", `/projects/${hidden.id}/integration-bindings`)).body.items).toEqual([]);
});

test("an archived Project is bound to nothing more", async () => {
  const { home, project, bind } = await stage();
  const { id } = (await bind()).body;
  const { revision } = (await home.owner.call("GET", `/projects/${project.id}`)).body;
  const archived = await home.owner.call("PATCH", `/projects/${project.id}`, {
    body: { archived: true },
    ifMatch: revision,
  });
  expect(archived.status).toBe(200);
  expect((await bind()).body.code).toBe("project_archived");
  expect((await home.owner.call("DELETE", `/integration-bindings/${id}`)).body.code).toBe("project_archived");
});

test("a Project has so many bindings and no more", async () => {
  const { bind } = await stage();
  const made = await Promise.all(Array.from({ length: MOST_BINDINGS + 2 }, () => bind()));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(MOST_BINDINGS);
  expect((await bind()).body.code).toBe("limit_reached");
});
