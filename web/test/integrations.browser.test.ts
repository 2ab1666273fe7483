// Integrations in the application: what stands at a Task from other services, as it changes there.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { plantBinding, plantInstallation, plantResource, signedNow } from "../../server/test/integrations.ts";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const running = service({ roles: ["api", "worker", "realtime"] });
const chromium = browser();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const api = clientOf(home.owner);
  const tasks = async () => (await api.listProjectTasks({ project_id: project.id })).items;
  return { home, project, api, tasks };
}

/** Sends what a webhook of the Workspace sends. */
async function deliver(address: string, secret: string | undefined, data: Record<string, string>) {
  const raw = JSON.stringify({ type: "alarm", data });
  const headers = { "content-type": "application/json", ...signedNow(raw, undefined, secret) };
  expect((await running.send("POST", address, { raw, headers })).status).toBe(200);
}

test("what another service tells makes a Task, stands at it, and changes while somebody looks at it", async () => {
  const { home, project, tasks } = await workshop();
  const { workspaceId, owner } = home;
  const { id } = await plantInstallation(running, workspaceId, owner.actorId);
  const resource = await plantResource(running, workspaceId, id);
  const bound = { installationId: id, resourceId: resource.id, projectId: project.id, rules: { create_tasks: true } };
  await plantBinding(running, workspaceId, owner.actorId, bound);
  const address = `/webhooks/integrations/webhook/${id}`;
  const alarm = { id: "7", title: "The mill has stopped", url: "https://ci.example.com/7", state: "open" };
  await deliver(address, undefined, alarm);
  const [task] = await eventually(async () => {
    const found = await tasks();
    expect(found).toHaveLength(1);
    return found;
  });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task?.code}`);
  const elsewhere = page.getByRole("list", { name: "Elsewhere" });
  const line = elsewhere.getByRole("listitem");
  await line.locator('[data-state="open"]').waitFor();
  expect(await line.getByRole("link", { name: alarm.title }).getAttribute("href")).toBe(alarm.url);
  await looked(ada, "task-elsewhere");
  // Realtime tells of it. What would be run in this page is no link.
  await ada.settled();
  await deliver(address, undefined, {
    ...alarm,
    title: "It turns again",
    state: "resolved",
    url: "javascript:alert(1)",
  });
  await line.locator('[data-state="resolved"]').waitFor();
  await line.getByText("It turns again").waitFor();
  expect(await line.getByRole("link").count()).toBe(0);
});
