// At a terminal and away from one: colours, tables and questions are for people alone; pipes may be closed early; help
// and usage errors need no service.
import { describe, expect, test } from "vitest";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { commands } from "../src/command-table.ts";
import { commandHelp } from "../src/help.ts";
import { widthOf } from "../src/output/table.ts";
import { type Home, hasScript, newHome, node, program, signedIn } from "./program.ts";

const running = service();
const ESCAPE = "\u001b";

/** At a terminal of so many columns. */
async function atTerminal(home: Home, line: string, columns: number, env: Record<string, string> = {}) {
  const command = `stty cols ${columns}; ${node} ${await program()} ${line}`;
  const { out, code } = await home.run("script", ["-qec", command, "/dev/null"], { env: { TERM: "xterm", ...env } });
  return { code, lines: out.replaceAll("\r\n", "\n").trimEnd().split("\n") };
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out.
const plain = (line: string) => line.replace(/\u001b\[\d*m/g, "");

async function desk(titles: string[] = []) {
  const place = await world(running);
  const project = await newProject(place);
  for (const title of titles) await newTask(place.owner, project.id, { title });
  return { place, project, home: await signedIn(running, place) };
}

describe.runIf(hasScript)("at a terminal", () => {
  test("a table fits, whatever is in it, and its columns stand below each other", async () => {
    const { home, project } = await desk([
      "歯車を切る ".repeat(20),
      "👩‍🔧 Gears ".repeat(20),
      "e\u0301".repeat(90),
      "short",
    ]);
    const args = ["task", "list", "-p", project.key];
    const env = { NO_COLOR: "1" };
    // One of them at a real terminal, which tells the program its width.
    for (const columns of [40, 80, 200]) {
      const { lines } =
        columns === 40
          ? await atTerminal(home, args.join(" "), columns, env)
          : { lines: (await home.svcAt(columns, args, { env })).out.trimEnd().split("\n") };
      expect(lines.length).toBe(5);
      for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
      const starts = lines.map((line) => widthOf(line.slice(0, line.search(/ (?:STATUS|Todo)/))));
      expect(new Set(starts).size, lines.join("\n")).toBe(1);
    }
  });

  test("there are colours, and none with NO_COLOR, --no-color or a dumb terminal", async () => {
    const { home, project } = await desk(["Gears"]);
    const list = ["task", "list", "-p", project.key];
    expect((await home.svcAt(80, list)).out).toContain(ESCAPE);
    for (const [args, env] of [
      [list, { NO_COLOR: "1" }],
      [[...list, "--no-color"], {}],
      [list, { TERM: "dumb" }],
    ] as const)
      expect((await home.svcAt(80, args, { env })).out).not.toContain(ESCAPE);
  });

  test("what people wrote cannot steer it", async () => {
    const { home, project, place } = await desk();
    const text = "a\u202eback\r\nnext";
    const task = await newTask(place.owner, project.id, { title: "Gears", description_markdown: text });
    const { out } = await home.svcAt(80, ["task", "view", task.code]);
    const lines = out.split("\n");
    expect(lines.map(plain).join("\n")).not.toContain("\u202e");
    expect(lines.map(plain), "a line that ends as on Windows").toEqual(expect.arrayContaining(["a\ufffdback", "next"]));
  });

  test("a write says how it is taken back, and an error what to type next", async () => {
    const { home, project } = await desk(["Gears"]);
    // Standard error is a terminal too, beside standard output.
    expect((await atTerminal(home, `start ${project.key}-1`, 80)).lines.map(plain).join("\n")).toMatch(
      /svc undo [0-9a-f-]{36}/,
    );
    const { code, err } = await home.svcAt(80, ["task", "view", "NONE-1"]);
    expect([code, plain(err)]).toEqual([8, expect.stringContaining("svc search")]);
  });
});

describe("away from a terminal", () => {
  test("rows are whole, with tabs between their cells, without head or colour", async () => {
    const title = `Gears ${"and more gears ".repeat(20)}`.trim();
    const { home, project } = await desk([title]);
    const { out, err } = await home.svc(["task", "list", "-p", project.key], {
      env: { TERM: "xterm", FORCE_COLOR: "1" },
    });
    expect(out.split("\t").slice(0, 3)).toEqual([`${project.key}-1`, title, "Todo"]);
    expect([out.includes(ESCAPE), err]).toEqual([false, ""]);
  });

  // A process: a pipe that its reader has closed ends the program.
  test("whoever reads it may stop early, or be gone", async () => {
    const { home, project } = await desk(["Gears"]);
    const line = `${node} ${await program()} task list -p ${project.key} | true; exit \${PIPESTATUS[0]}`;
    const { code, err } = await home.run("bash", ["-c", line]);
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("help", () => {
  test("fits 80 columns for everything there is, needs no sign-in, and shows an example of each command", async () => {
    const home = newHome();
    const { code, out } = await home.svc(["help"]);
    expect(code).toBe(0);
    for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const { name } of commands) expect(out).toContain(name);
    const screen = { columns: null, interactive: false, colour: (_: string, text: string) => text };
    for (const command of commands) {
      const own = commandHelp(command, screen);
      for (const line of own.split("\n"))
        if (!/^ {2}svc /.test(line)) expect(line.length, line).toBeLessThanOrEqual(80);
      expect(own).toContain(`svc ${command.examples[0]?.[0]}`);
    }
  });

  test("of a group lists its commands, and of one is the same as --help", async () => {
    const home = newHome();
    expect((await home.svc(["task"])).out).toContain("task create PROJECT");
    expect((await home.svc(["help", "task", "list"])).out).toBe((await home.svc(["task", "list", "--help"])).out);
    expect((await home.svc(["help", "nothing"])).code).toBe(2);
    expect((await home.svc([])).out).toBe((await home.svc(["help"])).out);
  });

  test("what is typed wrong is told with what was meant: 2, and nothing on standard output", async () => {
    const home = newHome();
    for (const [args, told] of [
      [["tsak", "list"], "svc task list"],
      [["task", "lst"], "svc task list"],
      [["strat"], "svc start"],
      [["work", "--limt", "3"], "--limit"],
      [["work", "--limit"], "svc work --help"],
      [["work", "--limit", "0"], "--limit must be"],
      [["work", "more"], "too much"],
      [["task", "move", "ENG-1"], "PROJECT is missing"],
      [["task", "view", "--json"], "svc task view --help"],
    ] as const) {
      const { code, out, err } = await home.svc(args);
      expect([args.join(" "), code, out]).toEqual([args.join(" "), 2, ""]);
      expect(err).toContain(told);
    }
  });

  // The built program: the version is put in when it is built.
  test("--version tells the version and loads nothing else", async () => {
    const { out, code } = await newHome().spawned(["--version"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^svc \d+\.\d+\.\d+\n$/)]);
  });
});
