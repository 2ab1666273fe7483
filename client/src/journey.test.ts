// A team's first day with the client alone, as an application would call it: two people with browsers, and a script
// with a token.
import { expect, test } from "vitest";
import { linkTo } from "../../server/test/mailbox.ts";
import { newAddress } from "../../server/test/people.ts";
import { service } from "../../server/test/world.ts";
import { type Client, createClient, Problem } from "./client.ts";

const running = service();

/** Keeps cookies as a browser does, and sends the mark against forged requests. */
function browser(): Client {
  const cookies = new Map<string, string>();
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    if (init?.method !== "GET") headers.set("x-csrf-token", cookies.get("__Host-svc_csrf") ?? "");
    const answer = await fetch(input, { ...init, headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return createClient({ url: running.url, fetch: send });
}
const password = "nine brass gears turn slowly";

test("from an account to work that is shared, changed by two at once, taken back and scripted", async () => {
  const [ada, charles] = [browser(), browser()];
  const email = newAddress();
  expect(await ada.register({ display_name: "Ada", email: newAddress(), password })).toMatchObject({
    workspace_id: null,
  });
  const slug = `engines-${Date.now().toString(36)}`;
  const { id: workspace_id } = await ada.bootstrapWorkspace({ name: "Engines", slug });
  const project = await ada.createProject({ workspace_id, key: "ENG", name: "Engine" });
  for (const title of ["Gears", "Axles", "Levers"]) await ada.createTask({ project_id: project.id, title });

  await ada.createInvitation({ workspace_id, email, role: "member" });
  const token = /token=(\w+)/.exec((await linkTo(running, email)).href)?.[1] as string;
  await charles.register({ display_name: "Charles", email, password, invitation_token: token });

  // Everything is there, a page at a time.
  const titles: string[] = [];
  for await (const { title } of charles.listProjectTasks({ project_id: project.id, limit: 2 })) titles.push(title);
  expect(titles.sort()).toEqual(["Axles", "Gears", "Levers"]);

  // Both change what they have read: the second one is told, reads again, and loses nothing.
  const gears = await ada.getTaskByCode({ workspace_id, task_code: "ENG-1" });
  const seen = await charles.getTaskByCode({ workspace_id, task_code: "ENG-1" });
  await ada.updateTask({ task_id: gears.id, priority: "high" }, { at: gears });
  const late = await charles.updateTask({ task_id: gears.id, title: "Brass gears" }, { at: seen }).catch((e) => e);
  expect([late instanceof Problem, late.code, late.outcome]).toEqual([true, "revision_conflict", "refused"]);
  const now = await charles.getTask({ task_id: gears.id });
  const renamed = await charles.updateTask({ task_id: gears.id, title: "Brass gears" }, { at: now });
  expect(renamed).toMatchObject({ title: "Brass gears", priority: "high" });

  // What was done can be asked for and taken back, by whoever did it.
  const command_id = charles.commandOf(renamed) as string;
  expect(await charles.getOperationReceipt({ workspace_id, id: command_id })).toMatchObject({ state: "committed" });
  await charles.undoCommand({ command_id });
  expect((await ada.getTask({ task_id: gears.id })).title).toBe("Gears");

  // A script of Ada's starts it.
  const { token: secret } = await ada.createApiToken({ name: "script", scopes: ["svc:read", "svc:write"] });
  const script = createClient({ url: running.url, token: secret });
  const task = await script.getCliTask({ task_code: "ENG-1" });
  await script.startCliTask({ task_code: "ENG-1" }, { at: task });
  const mine: string[] = [];
  for await (const { code } of script.listCliWork()) mine.push(code);
  expect(mine).toEqual(["ENG-1"]);
  await script.createCliTaskComment({ task_code: "ENG-1", markdown: "Begun" });
  expect((await charles.listTaskComments({ task_id: gears.id })).items).toMatchObject([{ markdown: "Begun" }]);

  await ada.logout();
  expect(await ada.getMe().catch((error: Problem) => error.code)).toBe("authentication_required");
  const elsewhere = browser();
  await elsewhere.login({ email, password, remember_me: false });
  expect((await elsewhere.getMe()).workspace_id).toBe(workspace_id);
});
