// Completion, in the shells themselves at a pseudo-terminal, and what `svc complete` answers them: at once, from what
// is kept, and never with a token that it would have to renew.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { shellsHere } from "../../scripts/shells.mjs";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { alsoMemberOf, type Home, hasScript, newHome, node, program, signedIn } from "./program.ts";

const running = service();

async function desk() {
  const place = await world(running);
  const project = await newProject(place);
  const task = await newTask(place.owner, project.id, { title: "Cut the gears", description_markdown: "Of brass." });
  return { place, project, task, home: await signedIn(running, place) };
}

/** The words behind svc; the last one is at the cursor. */
const completed = async (home: Home, words: string[], env = {}) => {
  // A process, as a shell starts it: svc measures its time from the start and asks the service in the background.
  const { code, out, err } = await home.spawned(["complete", String(words.length), ...words], { env });
  expect([code, err]).toEqual([0, ""]);
  return out.split("\n").filter(Boolean);
};
/** After the service was asked. */
async function learned(home: Home, words: string[], env = {}): Promise<string[]> {
  for (;;) {
    const found = await completed(home, words, env);
    if (found.length > 0) return found;
  }
}
const kept = (home: Home, name = "test") => join(home.config, "completion", `${name}.json`);
/** As if a day had gone by. */
const aged = (file: string) => {
  for (const each of [file, `${file}.asked`]) utimesSync(each, 1, 1);
};

describe("svc complete", () => {
  test("offers one's own work first, then what was changed lately, with titles that cannot steer a terminal", async () => {
    const { home, place, project, task } = await desk();
    await home.svc(["start", task.code]);
    await newTask(place.owner, project.id, { title: "Later \u202e gears" });
    const codes = await learned(home, ["task", "view", project.key.toLowerCase()]);
    expect(codes).toEqual([`${task.code}\tCut the gears`, `${project.key}-2\tLater \ufffd gears`]);
    expect(await completed(home, ["task", "list", "-p", ""])).toEqual([`${project.key}\tEngine`]);
    expect(await completed(home, ["done", task.code, "--status", "in p"])).toEqual(["In Progress\t"]);
    expect(statSync(kept(home)).mode & 0o777).toBe(0o600);
    expect(readFileSync(kept(home), "utf8")).not.toContain("svc_");
  });

  test("renews no token: what is kept is offered, and where nothing is, nothing", async () => {
    const { home, place, task } = await desk();
    await learned(home, ["start", ""]);
    const expired = await signedIn(running, place, { expired: true });
    const profile = () => readFileSync(join(expired.config, "profiles/test.json"), "utf8");
    const before = profile();
    expect(await completed(expired, ["start", ""])).toEqual([]);
    mkdirSync(join(expired.config, "completion"), { recursive: true });
    writeFileSync(kept(expired), readFileSync(kept(home)));
    aged(kept(expired));
    expect(await completed(expired, ["start", ""])).toEqual([`${task.code}\tCut the gears`]);
    expect((await expired.spawned(["complete", "learn"])).code).toBe(0);
    expect(profile()).toBe(before);
  });

  test("waits for no service: one that never answers leaves what is kept, or nothing", async () => {
    const { home, task } = await desk();
    await learned(home, ["start", ""]);
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const file = join(home.config, "profiles/test.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(running.url, url));
    expect(await completed(home, ["start", ""]), "it is of another service").toEqual([]);
    const other = readFileSync(kept(home), "utf8").replace(running.url, url);
    writeFileSync(kept(home), other);
    aged(kept(home));
    expect(await completed(home, ["start", ""])).toEqual([`${task.code}\tCut the gears`]);
  });

  test("offers nothing of a Workspace that the profile has left, and forgets all of it at logout", async () => {
    const { home, place } = await desk();
    const other = await world(running);
    await alsoMemberOf(running, other, place.owner);
    const workspaces = await learned(home, ["workspace", "switch", ""]);
    expect(workspaces).toHaveLength(2);
    await learned(home, ["start", ""]);
    const slug = workspaces.map((line) => line.split("\t")[0] as string);
    const here = (await home.json(["status"])).workspace.slug;
    await home.svc(["workspace", "switch", slug.find((each) => each !== here) as string]);
    expect(await completed(home, ["start", ""])).toEqual([]);
    await home.svc(["logout"]);
    expect(existsSync(kept(home))).toBe(false);
    expect(await completed(home, ["start", ""])).toEqual([]);
  });

  test("knows the work of a token from the environment, and of a profile that is named", async () => {
    const { place, task } = await desk();
    const env = { SVC_TOKEN: await place.token(), SVC_URL: running.url };
    const home = newHome();
    expect(await learned(home, ["start", ""], env)).toEqual([`${task.code}\tCut the gears`]);
    expect(await completed(home, ["start", ""])).toEqual([]);
    const [one, two] = [await desk(), await desk()];
    await signedIn(running, two.place, { name: "two", home: one.home });
    await signedIn(running, one.place, { name: "one", home: one.home });
    expect(await learned(one.home, ["--profile", "two", "start", ""])).toEqual([`${two.task.code}\tCut the gears`]);
    expect(await completed(one.home, ["work", "--profile", "t"])).toEqual([
      `test\t${running.url}`,
      `two\t${running.url}`,
    ]);
  });

  test("where nothing can be kept or nobody is signed in, there still are commands and flags", async () => {
    const token = await (await world(running)).token();
    for (const env of [{}, { SVC_CONFIG_DIR: "/dev/null/svc", SVC_TOKEN: token, SVC_URL: running.url }]) {
      const home = newHome(env);
      expect(await completed(home, ["task", "vi"])).toEqual(["view\tShow a Task"]);
      expect(await completed(home, ["task", "view", ""])).toEqual([]);
      expect(await completed(home, ["task", "view", "--com"])).toEqual(["--comments\tWith its newest comments"]);
    }
    for (const words of [["complete"], ["complete", "x", "y"], ["complete", "2", "--profile", "../x"]])
      expect((await newHome().spawned(words)).code).toBe(0);
  });
});

/** How a shell is started without anybody's settings, and told of svc. */
const SHELLS: Record<string, { start: string; setUp: string }> = {
  bash: { start: "bash --norc --noprofile -i", setUp: 'eval "$(svc completion bash)"' },
  zsh: { start: "zsh -f -i", setUp: 'eval "$(svc completion zsh)"' },
  fish: { start: "fish --no-config -i", setUp: "svc completion fish | source" },
};

/** A shell at a terminal; what is typed there is seen in what it shows. */
async function atShell(home: Home, name: string) {
  const { start, setUp } = SHELLS[name] as { start: string; setUp: string };
  const bin = join(home.dir, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "svc"), `#!/bin/sh\nexec ${node} ${await program()} "$@"\n`, { mode: 0o755 });
  const env = { TERM: "xterm", PATH: `${bin}:${process.env.PATH}`, INPUTRC: "/dev/null", NO_COLOR: "1", PS1: "> " };
  const child = home.begin("script", ["-qec", `stty cols 200 rows 50; exec ${start}`, "/dev/null"], { env });
  let shown = "";
  child.stdout?.on("data", (chunk) => {
    shown += chunk;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const seen = async (text: string) => {
    while (!shown.includes(text)) {
      if (child.exitCode !== null) throw new Error(`${name} has ended: ${shown}`);
      // Wait: a pause between two looks.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    shown = shown.slice(shown.indexOf(text) + text.length);
  };
  const type = (keys: string) => void child.stdin?.write(keys);
  type(`${setUp}\n`);
  type("echo rea'dy'\n");
  await seen("ready");
  return { type, seen };
}

describe.runIf(hasScript)("at a Tab", () => {
  for (const shell of shellsHere().filter((name) => name in SHELLS))
    test(`${shell} completes commands, codes in any case, files, and Statuses whatever they are called`, async () => {
      const { home, place, project, task } = await desk();
      const name = `It's $(touch pwned) "now" \`touch pwned\``;
      await clientOf(place.owner).createProjectStatus({ project_id: project.id, name, category: "started" });
      await learned(home, ["start", ""]);
      writeFileSync(join(home.dir, "gears and more.csv"), "Title\nGears\n");
      const { type, seen } = await atShell(home, shell);
      type("svc tas\tvi\t");
      await seen("view");
      type(`${project.key.toLowerCase()}\t`);
      await seen(task.code);
      type("\n");
      await seen("Of brass.");
      const status = async () => (await home.json(["task", "view", task.code])).status;
      const becomes = async (wanted: string) => {
        // Wait: a pause between two looks.
        while ((await status()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
      };
      type(`svc task edit ${task.code} --status It\t`);
      await seen("now");
      type("\n");
      await becomes(name);
      type(`svc task edit ${task.code} --status "In P\t\n`);
      await becomes("In Progress");
      expect(existsSync(join(home.dir, "pwned"))).toBe(false);
      type("svc import gea\t");
      await seen("more.csv");
      type(` --preview -p ${project.key}\n`);
      await seen("Title -> title");
      type("svc task \t\t");
      await seen("Reopen a Task that is done");
    });

  test.runIf(shellsHere().includes("pwsh"))("PowerShell completes codes", async () => {
    const { home, project, task } = await desk();
    await learned(home, ["start", ""]);
    const ask =
      "svc completion powershell | Out-String | Invoke-Expression; " +
      `(TabExpansion2 'svc task view ${project.key}').CompletionMatches.CompletionText`;
    const { out } = await home.run("pwsh", ["-NoProfile", "-Command", ask]);
    expect(out.trim()).toBe(task.code);
  });
});

describe("svc completion", () => {
  test("prints a script that its shell can read, and refuses a shell that it does not know", async () => {
    const home = newHome();
    for (const [shell, check] of Object.entries({ bash: "-n", zsh: "-n", fish: "--no-execute" })) {
      const { code, out } = await home.svc(["completion", shell]);
      expect(code).toBe(0);
      if (!shellsHere().includes(shell)) continue;
      const script = join(home.dir, `svc.${shell}`);
      writeFileSync(script, out);
      const { status, stderr } = spawnSync(shell, [check, script], { encoding: "utf8" });
      expect([shell, status, stderr]).toEqual([shell, 0, ""]);
    }
    expect((await home.svc(["completion", "tcsh"])).code).toBe(2);
  });

  test("for PowerShell closes what it opens, and never passes an empty word", async () => {
    const { out } = await newHome().svc(["completion", "powershell"]);
    const bare = out.replace(/^#.*$/gm, "").replace(/'[^']*'|"(?:`.|[^"`])*"/g, "''");
    for (const [open, close] of ["{}", "()", "[]"])
      expect(bare.split(open as string).length, out).toBe(bare.split(close as string).length);
    expect(out).toContain("Register-ArgumentCompleter -Native -CommandName svc");
    expect(out).toContain("svc complete $at @words");
  });
});
