// Two people in two real browsers on a page of ours: what one of them changes, the other one hears, over the socket
// that a browser opens by itself.
import { expect, test } from "vitest";
import { insertMember } from "../../server/src/accounts/workspaces/store.ts";
import { newId } from "../../server/src/platform/wire/ids.ts";
import { browser } from "../../server/test/browser.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { asTenant, service, world } from "../../server/test/world.ts";
import { register, type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();

/** Signed in on the page, and in this Workspace. */
async function arrives(workspaceId: string): Promise<Visit> {
  const person = await visit(running, chromium);
  const email = await register(person);
  const [account] = await running.sql<{ id: string }>("select id from users where email = $1", [email]);
  await asTenant(running, workspaceId, (tx) => insertMember(tx, workspaceId, newId(), account?.id as string, "member"));
  const status = await person.page.evaluate(async (workspace_id) => {
    const token = /__Host-svc_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
    const headers = { "content-type": "application/json", "x-csrf-token": token };
    const body = JSON.stringify({ workspace_id });
    return (await fetch("/api/v1/auth/session/workspace", { method: "PUT", headers, body })).status;
  }, workspaceId);
  expect(status).toBe(204);
  return person;
}

test("what one changes the other hears, in a browser's own socket", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const [ada, bob] = [await arrives(home.workspaceId), await arrives(home.workspaceId)];
  await bob.page.evaluate(async () => {
    const { cursor } = await (await fetch("/api/v1/realtime/baseline")).json();
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/v1/realtime`, "svc.realtime.v1");
    const heard: string[] = [];
    Object.assign(window, { heard });
    await new Promise<void>((resolve, reject) => {
      socket.onerror = () => reject(new Error("it was not opened"));
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "welcome")
          socket.send(JSON.stringify({ type: "subscribe", subscription_id: "w", scope: "workspace", cursor }));
        if (frame.type === "subscribed") resolve();
        for (const { kind, id, revision, action } of frame.changes ?? [])
          heard.push(`${kind} ${id} ${revision} ${action}`);
      };
    });
  });
  const status = await ada.page.evaluate(async (path) => {
    const token = /__Host-svc_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
    const headers = { "content-type": "application/json", "x-csrf-token": token, "if-match": '"1"' };
    return (await fetch(path, { method: "PATCH", headers, body: JSON.stringify({ title: "Heard" }) })).status;
  }, `/api/v1/tasks/${task.id}`);
  expect(status).toBe(200);
  const wanted = `task ${task.id} 2 changed`;
  await bob.page.waitForFunction((line) => (window as unknown as { heard: string[] }).heard.includes(line), wanted);
});
