// Projects and Milestones by code.
import { expect, test } from "vitest";
import { commandLine } from "../../../test/cli.ts";
import { newMilestone, newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

test("Projects are listed by code, page by page: those that the caller sees and that are not archived", async () => {
  const home = await world(running);
  const member = await home.member("member");
  for (const key of ["CC", "AA", "BB"]) await newProject(home, { key });
  await newProject(home, { key: "HH", visibility: "private" });
  const archived = await newProject(home, { key: "ZZ" });
  await home.owner.call("PATCH", `/projects/${archived.id}`, { body: { archived: true }, ifMatch: "1" });
  const codes = async (line: Awaited<ReturnType<typeof commandLine>>) =>
    (await line.pages("/projects", 2)).map(({ code }) => code);
  expect(await codes(await commandLine(running, home))).toEqual(["AA", "BB", "CC", "HH"]);
  expect(await codes(await commandLine(running, home, member))).toEqual(["AA", "BB", "CC"]);
});

test("a Project is read by its code in any case", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home, undefined, ["svc:read"]);
  const project = await newProject(home, { key: "ENG", description_markdown: "Brass.", target_date: "2027-01-01" });
  for (const code of ["ENG", "eng", "eNg"]) {
    const { status, body, headers, trips } = await get(`/projects/${code}`);
    expect([status, headers.get("etag"), trips]).toEqual([200, '"1"', 1]);
    expect(body).toEqual({
      code: "ENG",
      name: project.name,
      description_markdown: "Brass.",
      visibility: "workspace",
      state: { name: expect.any(String), category: expect.any(String) },
      start_date: null,
      target_date: "2027-01-01",
      archived_at: null,
      created_at: project.created_at,
      updated_at: project.updated_at,
      revision: "1",
      capabilities: ["work:read"],
    });
  }
  const hidden = await newProject(home, { visibility: "private" });
  const member = await commandLine(running, home, await home.member("member"));
  expect([(await member.get(`/projects/${hidden.key}`)).status, (await member.get("/projects/NONE")).status]).toEqual([
    404, 404,
  ]);
  expect((await (await commandLine(running, await world(running))).get("/projects/ENG")).status).toBe(404);
});

test("a Milestone is read by its Project's key and its number, with its progress", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  const project = await newProject(home, { key: "ENG" });
  const milestone = await newMilestone(home.owner, project.id, { name: "First turn", target_date: "2027-03-31" });
  await newTask(home.owner, project.id, { milestone_id: milestone.id });
  for (const code of ["ENG-M1", "eng-m1"]) {
    const { status, body, headers } = await get(`/milestones/${code}`);
    expect([status, headers.get("etag")]).toEqual([200, '"1"']);
    expect(body).toMatchObject({ code: "ENG-M1", project_code: "ENG", name: "First turn", target_date: "2027-03-31" });
    expect([body.stage.name, body.archived_at, body.progress.total]).toEqual(["Planned", null, 1]);
  }
  const other = await newProject(home, { key: "OPS" });
  expect((await get("/milestones/OPS-M1")).status).toBe(404);
  const byCode = (code: string) => home.owner.call("GET", `/projects/${project.id}/milestones/by-code/${code}`);
  expect([(await byCode("eng-m1")).body.id, (await byCode("OPS-M1")).status]).toEqual([milestone.id, 404]);
  expect(other.key).toBe("OPS");
});

test("a Milestone's code has at most 29 characters and a positive 64-bit number; the number alone names none here", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  const most = "9223372036854775807";
  for (const [code, status] of [
    ["1", 404],
    [`ABCDEFGH-M${most}`, 404],
    ["ABCDEFGH-M9223372036854775808", 400],
    [`ABCDEFGHI-M${most}`, 400],
    ["ENG-M0", 400],
    ["ENG-M01", 400],
    ["ENG-M-1", 400],
    ["ENG-1", 400],
    ["ENG-M", 400],
    ["ENG%20-M1", 400],
  ] as const)
    expect([code, (await get(`/milestones/${code}`)).status]).toEqual([code, status]);
});

test("a Milestone that was deleted, or whose Project is archived, is still found; one that is hidden is not", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  const project = await newProject(home);
  const [gone, kept] = [await newMilestone(home.owner, project.id), await newMilestone(home.owner, project.id)];
  await home.owner.call("DELETE", `/milestones/${gone.id}`);
  const deleted = (await get(`/milestones/${project.key}-M1`)).body;
  expect([deleted.name, deleted.archived_at !== null, deleted.progress.total]).toEqual([gone.name, true, 0]);
  expect((await get(`/milestones/${project.key}-M2`)).body.archived_at).toBeNull();
  await home.owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
  const archived = (await get(`/milestones/${kept.code}`)).body;
  expect(archived.archived_at).toBe((await get(`/projects/${project.key}`)).body.archived_at);
  const hidden = await newProject(home, { visibility: "private" });
  await newMilestone(home.owner, hidden.id);
  const member = await commandLine(running, home, await home.member("member"));
  expect((await member.get(`/milestones/${hidden.key}-M1`)).status).toBe(404);
});
