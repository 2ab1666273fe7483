// Every example is run as it stands, as a process against a real service.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Home, newHome, program } from "../cli/test/program.ts";
import { answered } from "../server/test/oauth.ts";
import { newProject, newTask } from "../server/test/work.ts";
import { service, world } from "../server/test/world.ts";

const running = service();
const here = import.meta.dirname;

async function desk(title = "Cut the gears", more: object = {}) {
  const place = await world(running);
  const project = await newProject(place);
  const task = await newTask(place.owner, project.id, { title, assignee_actor_id: place.owner.actorId, ...more });
  const read = async () => (await place.owner.call("GET", `/tasks/${task.id}?include=status`)).body;
  return { place, project, task, read };
}
/** A home with svc on its path, and a personal token. */
async function scripted(token: string): Promise<Home> {
  const home = newHome({ SVC_TOKEN: token, SVC_URL: running.url });
  const bin = join(home.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "svc"), `#!/bin/sh\nexec ${process.execPath} ${await program()} "$@"\n`, { mode: 0o755 });
  home.env.PATH = `${bin}:${process.env.PATH}`;
  return home;
}

describe("examples/ide", () => {
  test.each(["svc-ide-a", "svc-ide-b"])(
    "signs in as %s, lists my work, and again when a Task changes",
    async (client) => {
      const { place, task } = await desk();
      const child = spawn(process.execPath, [join(here, "ide/ide.ts"), running.url, client]);
      onTestFinished(() => void child.kill("SIGKILL"));
      let shown = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (shown += chunk));
      const seen = async (text: string | RegExp) => {
        for (;;) {
          const found = typeof text === "string" ? shown.includes(text) : text.test(shown);
          if (found) return;
          if (child.exitCode !== null) throw new Error(shown);
          // Wait: a pause between two looks.
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      await seen(/^ {2}http\S+\n/m);
      const { pathname, search } = new URL(/^ {2}(http\S+)$/m.exec(shown)?.[1] as string);
      const asked = await place.owner.call("GET", pathname + search);
      const request = new URL(asked.headers.get("location") ?? "", running.url).searchParams.get("request") as string;
      await fetch((await answered(place.owner, request, place.workspaceId)).body.redirect_to);
      await seen(`${task.code}  Cut the gears  (Todo)`);
      await seen("[live]");
      const changed = await place.owner.call("PATCH", `/tasks/${task.id}`, {
        body: { title: "Cut them all" },
        ifMatch: task.revision,
      });
      expect(changed.status, changed.text).toBe(200);
      await seen(`${task.code}  Cut them all  (Todo)`);
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("close", resolve));
      expect(child.exitCode).toBe(0);
    },
  );
});

describe("examples/github-action", () => {
  const tell = async (home: Home, env: Record<string, string>) =>
    home.run("bash", [join(here, "github-action/tell.sh")], { env });
  const event = { BRANCH: "", TITLE: "", LINK: "https://git.example.com/1", MERGED: "false" };

  test("comments on the Tasks that branch and title name, once, and finishes them when merged", async () => {
    const { place, task, read } = await desk();
    const home = await scripted(await place.token());
    const comments = async () =>
      (await place.owner.call("GET", `/tasks/${task.id}/comments`)).body.items.map(
        ({ markdown }: { markdown: string }) => markdown,
      );
    const named = { ...event, BRANCH: `feature/${task.code.toLowerCase()}-gears`, TITLE: "UTF-8 $(touch pwned)" };
    for (let time = 0; time < 2; time++) {
      const { code, err } = await tell(home, named);
      expect(code, err).toBe(0);
    }
    expect(await comments()).toEqual(["Pull request: https://git.example.com/1"]);
    expect((await tell(home, { ...named, MERGED: "true" })).code).toBe(0);
    expect((await comments()).at(-1)).toBe("Merged: https://git.example.com/1");
    expect(Object.values((await read()).included.statuses)).toMatchObject([{ category: "completed" }]);
    expect(existsSync(join(home.dir, "pwned"))).toBe(false);
    expect((await tell(home, { ...event, TITLE: "Names none" })).code).toBe(0);
    expect((await tell(home, { ...named, SVC_TOKEN: "svc_pat_nonsense" })).code).toBe(4);
  });
});

describe("examples/cron", () => {
  test("reports what was finished and what is late, of one Project", async () => {
    const { place, project, task } = await desk("Finished gears");
    const other = await newProject(place);
    await newTask(place.owner, other.id, { title: "Elsewhere", due_date: "2020-01-01" });
    await newTask(place.owner, project.id, { title: "Late gears", due_date: "2020-01-01" });
    const home = await scripted(await place.token());
    await home.svc(["done", task.code]);
    const { code, out, err } = await home.run("sh", [join(here, "cron/report.sh"), project.key]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      new RegExp(
        `^# ${project.key}, .*\n\n## Finished since .*\n\n- ${task.code}: Finished gears\n\n## Late\n\n- ` +
          `${project.key}-2: Late gears\n$`,
      ),
    );
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
       due_date)
       select workspace_id, gen_random_uuid(), project_id, 1000 + n, title, status_id, n, created_by_actor_id, due_date
       from tasks, generate_series(1, 230) n where title = 'Late gears' and project_id = $1`,
      [project.id],
      place.workspaceId,
    );
    const many = await home.run("sh", [join(here, "cron/report.sh"), project.key]);
    expect(many.out.match(/: Late gears$/gm), "all pages are read").toHaveLength(231);
    const nothing = await home.run("sh", [join(here, "cron/report.sh"), "NONE"]);
    expect(nothing.out.match(/Nothing\./g)).toHaveLength(2);
  });
});

describe("examples/chat", () => {
  test("tells what has changed since the last time, once; what the chat refused is told again", async () => {
    const { place, project } = await desk();
    const posts: string[] = [];
    let status = 200;
    const chat = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        posts.push(JSON.parse(body).text);
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => chat.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void chat.close());
    const home = await scripted(await place.token());
    const webhook = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/hook`;
    const tell = () =>
      home.run(process.execPath, [join(here, "chat/tell.ts")], { env: { CHAT_WEBHOOK: webhook, STATE: "told" } });
    expect((await tell()).code).toBe(0);
    expect(posts, "what was there before is not news").toEqual([]);
    const task = await newTask(place.owner, project.id, { title: "<!channel> & gears" });
    status = 500;
    expect((await tell()).code).toBe(1);
    status = 200;
    expect((await tell()).code).toBe(0);
    const [refused, told, ...more] = posts;
    expect(told).toBe(refused);
    expect(told).toContain(`|${task.code}> &#60;!channel&#62; &#38; gears: Todo`);
    expect((await tell()).code).toBe(0);
    expect(more).toEqual([]);
    expect(posts).toHaveLength(2);
  });
});
