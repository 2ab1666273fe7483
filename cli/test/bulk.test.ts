// Many Tasks at once: a table is shown before it is imported, goes on after any interruption without a row twice, says
// what it refused; and what is exported can be imported.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service } from "../../server/test/world.ts";
import { parseCsv } from "../src/output/csv.ts";
import { ended, newHome } from "./program.ts";
import { exportedTasks, newTable, signedInDesk } from "./tables.ts";

const running = service();
const desk = () => signedInDesk(running);

describe("svc import", () => {
  test("makes a Task of each row, in their order, with names for status, labels and people, as spreadsheets write them", async () => {
    const { home, project } = await desk();
    const text =
      '\ufeffSummary;State;Who;Prio;Due;Notes;Cost\r\n"Cut; ' +
      'the ""gears""";Doing;me;HIGH;2026-12-24;"two\r\nlines";3\r\n\r\n\'=1+1;;;;;;\r\n';
    const map = "title=Summary,status=State,assignee=Who,priority=Prio,due=Due,description=Notes";
    const args = ["import", newTable(home, text), "-p", project.key.toLowerCase(), "--map", map];
    const said = await home.svc([...args, "--value", "status:doing=In Progress", "--json", "all"]);
    expect(said.err).toBe("");
    expect([said.code, JSON.parse(said.out)]).toEqual([
      0,
      { project: project.key, rows: 2, imported: 2, already: 0, left: 0, refused: [], report: null },
    ]);
    const tasks = await exportedTasks(home, project.key);
    expect(tasks.map(({ code }) => code)).toEqual([`${project.key}-1`, `${project.key}-2`]);
    expect(tasks[0]).toMatchObject({
      title: 'Cut; the "gears"',
      status: "In Progress",
      priority: "high",
      due_date: "2026-12-24",
      description: "two\nlines",
      assignee: expect.any(String),
    });
    expect(tasks[1]).toMatchObject({ title: "=1+1", status: "Todo", assignee: null });
  });

  test("knows labels, Milestones and parents by their names and codes, and refuses a row with one that there is not", async () => {
    const { home, project, place } = await desk();
    const milestone = await newMilestone(place.owner, project.id, { name: "First turn" });
    for (const name of ["brass", "oil, heavy"])
      await clientOf(place.owner).createProjectLabel({ project_id: project.id, name, purpose: "task", color: "gray" });
    const code = milestone.code;
    const rows = [
      "Title,Labels,Milestone,Parent",
      `Machine,"brass; oil, heavy",${code.toLowerCase()},`,
      `Gears,Brass,,${project.key.toLowerCase()}-1`,
      `Axle,,${project.key}-M9,`,
      `Lever,,,${project.key}-99`,
      "Spring,nothing of ours,,",
    ];
    const name = newTable(home, rows.join("\n"));
    const { out } = await home.svc(["import", name, "-p", project.key, "--preview"]);
    expect(out).toMatch(/labels "nothing of ours" is none of: .*brass/);
    expect((await home.svc(["import", name, "-p", project.key])).code).toBe(1);
    expect(await exportedTasks(home, project.key)).toMatchObject([
      { title: "Machine", labels: ["brass", "oil, heavy"], milestone: code, parent: null },
      { title: "Gears", labels: ["brass"], milestone: null, parent: `${project.key}-1` },
    ]);
    const { rows: refused } = parseCsv(readFileSync(join(home.dir, "tasks.refused.csv"), "utf8").slice(1));
    expect(refused.map(({ cells }) => cells[0])).toEqual(["Axle", "Lever", "Spring"]);
    for (const { cells } of refused) expect(cells[4]).not.toBe("");
  });

  test("shows what each column becomes, the first rows and what cannot be mapped, and imports nothing", async () => {
    const { home, project } = await desk();
    const name = newTable(home, "Title,Status,Priority,Cost\nGears,Doing,,1\n,Todo,,2\nBrass,Todo,soon,3\n");
    const { code, out } = await home.svc(["import", name, "-p", project.key, "--preview"]);
    expect(code).toBe(1);
    expect(out).toContain("Title -> title");
    expect(out).toContain("left out: Cost");
    expect(out).toContain("row 3: It has no title.");
    expect(out).toContain("row 4: Its priority must be one of none, low");
    expect(out).toMatch(/status "Doing" is none of: .*Todo/);
    expect(await exportedTasks(home, project.key)).toEqual([]);
  });

  test("leaves what it refused in a table beside the file, which can be mended and imported; 1", async () => {
    const { home, project } = await desk();
    const name = newTable(home, "Title,Status,Due\nGears,Todo,\n=Brass,Nowhere,\nOil,Todo,tomorrow\n");
    const { code, out } = await home.svc(["import", name, "-p", project.key]);
    expect([code, out]).toEqual([1, expect.stringContaining("2 refused: see tasks.refused.csv")]);
    const path = join(home.dir, "tasks.refused.csv");
    const report = readFileSync(path, "utf8");
    expect(report).toContain("'=Brass,Nowhere,,");
    const { header, rows } = parseCsv(report.slice(1));
    expect(header).toEqual(["Title", "Status", "Due", "Refused because"]);
    expect(rows.map(({ cells }) => cells[3])).toEqual([
      expect.stringContaining("must be one of"),
      expect.stringContaining("must be a day"),
    ]);
    writeFileSync(path, report.replace("Nowhere", "Todo").replace("tomorrow", "2026-12-24"));
    expect((await home.svc(["import", "tasks.refused.csv", "-p", project.key])).code).toBe(0);
    const again = await home.svc(["import", name, "-p", project.key]);
    expect(again.out).toContain("see tasks.refused-2.csv");
    expect(readFileSync(path, "utf8")).toContain("2026-12-24");
    expect((await exportedTasks(home, project.key)).map(({ title }) => title)).toEqual(["Gears", "=Brass", "Oil"]);
  });

  // A process: it is killed.
  test("goes on after a kill at every message on the wire, before it reaches the service and before its answer is heard", async () => {
    const { home, place } = await desk();
    let [heard, killAt, kill] = [0, 0, () => {}];
    /** Passes on what it is sent, and kills the program at one of the messages, which is lost. */
    const passing = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const lost = () => {
        if (++heard === killAt) kill();
        return heard === killAt;
      };
      if (lost()) return response.destroy();
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
      const answer = await fetch(running.url + request.url, { method: request.method, headers, body });
      const text = await answer.text();
      if (lost()) return response.destroy();
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    });
    await new Promise<void>((resolve) => passing.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void passing.close());
    const profile = join(home.config, "profiles/test.json");
    const url = `http://127.0.0.1:${(passing.address() as AddressInfo).port}`;
    writeFileSync(profile, readFileSync(profile, "utf8").replace(running.url, url));
    let [points, killed] = [0, true];
    while (killed) {
      const { key } = await newProject(place);
      const args = ["import", newTable(home, "Title\nOne\nTwo\n"), "-p", key];
      [heard, killAt] = [0, ++points];
      const child = await home.start(args);
      kill = () => void child.kill("SIGKILL");
      killed = (await ended(child)).code === null;
      killAt = 0;
      expect((await home.svc(args)).code, `after message ${points}`).toBe(0);
      expect(
        (await exportedTasks(home, key)).map(({ title }) => title),
        `after message ${points}`,
      ).toEqual(["One", "Two"]);
    }
    // The Project and two rows, each asked and answered; one more is the whole of it.
    expect(points).toBe(7);
  });

  test("where nothing can be kept the keys alone hold: run again, each row is there once", async () => {
    const { place, project, home: reader } = await desk();
    const env = { SVC_CONFIG_DIR: "/dev/null/svc", SVC_TOKEN: await place.token(), SVC_URL: running.url };
    const home = newHome(env);
    const args = ["import", newTable(home, "Title\nOne\nTwo\n"), "-p", project.key];
    for (let time = 0; time < 2; time++) expect((await home.svc(args)).code).toBe(0);
    expect((await exportedTasks(reader, project.key)).map(({ title }) => title)).toEqual(["One", "Two"]);
  });

  test("that was begun with another mapping is refused, and so is a row that was sent a day ago and never answered", async () => {
    const { home, project } = await desk();
    const args = ["import", newTable(home, "Title,Other\nGears,Brass\nOil,Lead\n"), "-p", project.key];
    expect((await home.svc(args)).code).toBe(0);
    const other = await home.svc([...args, "--map", "title=Other"]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("with another mapping")]);
    const notes = join(home.config, "imports");
    const [name = ""] = readdirSync(notes);
    const [mark = ""] = readFileSync(join(notes, name), "utf8").trim().split("\n");
    writeFileSync(join(notes, name), `${mark}\n{"row":2}`);
    utimesSync(join(notes, name), 0, 0);
    for (let time = 0; time < 2; time++) {
      const told = await home.json(args).catch(() => null);
      expect(told).toBeNull();
    }
    expect(readFileSync(join(home.dir, "tasks.refused.csv"), "utf8")).toContain("no answer came");
    expect((await exportedTasks(home, project.key)).map(({ title }) => title)).toEqual(["Gears", "Oil"]);
  });

  test("refuses what it cannot understand: a column, a field, no Project, no file, a Project that is not there, nobody signed in", async () => {
    const { home, project } = await desk();
    const name = newTable(home, "Title\nGears\n");
    for (const [args, code, told] of [
      [["-p", project.key, "--map", "title=Nothing"], 2, "There is no column Nothing"],
      [["-p", project.key, "--map", "cost=Title"], 2, "maps to no field"],
      [["-p", project.key, "--value", "x"], 2, "says nothing about a field"],
      [[], 2, "Into which Project?"],
      [["-p", "NONE"], 8, ""],
    ] as const) {
      const said = await home.svc(["import", name, ...args]);
      expect([args, said.code, said.err]).toEqual([args, code, expect.stringContaining(told)]);
    }
    expect((await home.svc(["import", "missing.csv", "-p", project.key])).code).toBe(2);
    expect((await newHome().svc(["import", join(home.dir, name), "-p", project.key])).code).toBe(4);
    const piped = await home.svc(["import", "-", "-p", project.key], { stdin: "Title\r\nPiped\r\n" });
    expect(piped.code).toBe(0);
  });
});

describe("svc export", () => {
  test("as CSV holds no formula, and imported into another Project it is the same again", async () => {
    const { home, project, place } = await desk();
    const other = await newProject(place);
    await newTask(place.owner, project.id, {
      title: "=HYPERLINK(1)",
      description_markdown: 'a,b\n"c"',
      priority: "low",
    });
    await newTask(place.owner, project.id, { title: "-1 @home", due_date: "2026-12-24" });
    const { code } = await home.svc([
      "export",
      "-p",
      project.key,
      "-o",
      "out.csv",
      "--bom",
      "--separator",
      "semicolon",
    ]);
    expect(code).toBe(0);
    const text = readFileSync(join(home.dir, "out.csv"), "utf8");
    expect(text.startsWith("\ufeffcode;project;title;")).toBe(true);
    expect(text).toContain(";'=HYPERLINK(1);");
    expect(text).not.toMatch(/[;\n]"?[=+@-]/);
    expect((await home.svc(["import", "out.csv", "-p", other.key])).code).toBe(0);
    const kept = ({ title, description, priority, due_date, status }: Record<string, unknown>) => ({
      title,
      description,
      priority,
      due_date,
      status,
    });
    expect((await exportedTasks(home, other.key)).map(kept).reverse()).toEqual(
      (await exportedTasks(home, project.key)).map(kept),
    );
  });

  test("goes through every page, narrows down, and leaves no half of a file", async () => {
    const { home, project, place } = await desk();
    for (let at = 0; at < 101; at++) await newTask(place.owner, project.id, { title: `Part ${at}` });
    expect((await exportedTasks(home, project.key)).map(({ title }) => title)).toEqual(
      Array.from({ length: 101 }, (_, at) => `Part ${at}`),
    );
    expect((await home.svc(["export", "--category", "completed"])).out).toBe("");
    expect((await home.svc(["export", "--updated-since", "2999-01-01"])).out).toBe("");
    expect((await home.svc(["export", "--updated-since", "soon"])).code).toBe(2);
    expect((await home.svc(["export", "-p", "NONE", "-o", "none.csv"])).code).toBe(8);
    expect((await home.svc(["export", "-o", "no/such/folder.csv"])).code).toBe(1);
    expect(readdirSync(home.dir).filter((name) => /csv|part/.test(name))).toEqual([]);
  });
});
