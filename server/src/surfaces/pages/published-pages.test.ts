// The page of a published Document: everything of it is escaped, nothing runs in it, and it is gone as soon as it is
// taken back.
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { newAttached } from "../../../test/attachments.ts";
import { any, changeDocument, newDocument } from "../../../test/documents.ts";
import { until } from "../../../test/editing.ts";
import { smallPicture } from "../../../test/pictures.ts";
import { startS3 } from "../../../test/s3.ts";
import { newMilestone, newProject, newTask } from "../../../test/work.ts";
import { service, type TestService, testConfig, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";
import { createLog } from "../../platform/wire/log.ts";
import { serve } from "../../server.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-published-"));
const running = service({ dataDir });
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const s3 = await startS3();
afterAll(() => s3.close());
const remote = service({ storageUrl: s3.url });

/** A published Document with a file, and the path of the file. */
async function publishedFile(where: TestService, bytes = Buffer.from("Forty of them, in brass.")) {
  const home = await world(where);
  const { id } = await newDocument(home);
  const file = await newAttached(home.owner, `/documents/${id}`, bytes, { filename: "gears.txt" });
  const markdown = `[gears](attachment:${file.id})`;
  const written = await home.owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
  expect(written.status, written.text).toBe(200);
  const { public_id } = (await changeDocument(home.owner, id, { published: true })).body;
  return { file, path: `/p/${public_id}/files/${file.id}` };
}
const get = async (path: string, method = "GET") => {
  const answer = await fetch(`${running.url}/p/${path}`, { redirect: "manual", method });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test("it shows title, table of contents and text, with a style for paper and without a script", async () => {
  const home = await world(running);
  const { owner } = home;
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(owner, hidden.id, { title: "Secret gears" });
  const { id } = await newDocument(home, { title: "<b>Plan</b> & 'more'", icon: "🗺" });
  const picture = await newAttached(owner, `/documents/${id}`, await smallPicture(), {
    filename: "gear.png",
    content_type: "image/png",
  });
  const markdown = [
    "# First <script>alert(1)</script>",
    "## Second",
    'Some **bold** and <img src=x onerror="alert(1)"> and [here](https://example.com/?a=1&b="2").',
    `![A "gear"](attachment:${picture.id}) [Secret gears](svc:task/${task.id})`,
    "- [x] done\n- [ ] open",
    "| a | b |\n|:--|--:|\n| 1 | <i>2</i> |",
    "```html\n<script>alert(2)</script>\n```",
    "> quoted",
    "![plainly sent](http://pictures.example/a.png) ![safe](https://pictures.example/safe.png)",
  ].join("\n\n");
  const said = await owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
  expect(said.status, said.text).toBe(200);
  const { public_id } = (await changeDocument(owner, id, { published: true })).body;
  await owner.call("PATCH", `/workspaces/${home.workspaceId}/settings`, { body: { locale: "de-CH" }, ifMatch: "0" });
  const { status, headers, text } = await get(public_id);
  expect(text, "it names its language").toMatch(/^<!doctype html><html lang="de-CH">/);
  const head = await get(public_id, "HEAD");
  expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"]);
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    ...[200, "text/html; charset=utf-8", "no-store"],
  ]);
  const policy = headers.get("content-security-policy") as string;
  expect(policy).toContain("img-src 'self' https: data:;");
  expect(text).not.toContain("http://pictures.example");
  expect(text).toContain('<img src="https://pictures.example/safe.png" alt="safe" loading="lazy">');
  expect(text).toContain("plainly sent");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script-src|unsafe/);
  expect(text).toContain("<title>&lt;b&gt;Plan&lt;/b&gt; &amp; &#39;more&#39;</title>");
  expect(text).not.toMatch(/<script|<img src=x|<i>|<b>|[Ss]ecret/);
  expect(text).toContain('<a href="#section-1">First &lt;script&gt;alert(1)&lt;/script&gt;</a>');
  expect(text).toContain('<h2 id="section-1">');
  expect(text).toContain('<h3 id="section-2">Second</h3>');
  expect(text).toMatch(/@media print/);
  expect(text).toContain("<strong>bold</strong>");
  expect(text).toContain(`<img src="/p/${public_id}/files/${picture.id}" alt="A &quot;gear&quot;" loading="lazy">`);
  expect(text).toContain("a Task");
  for (const inside of [task.code, hidden.key])
    expect(text, "codes of a private Project stay inside").not.toContain(inside);
  for (const inside of [task.id, hidden.id, home.workspaceId, owner.actorId]) expect(text).not.toContain(inside);
  const file = await get(`${public_id}/files/${picture.id}`);
  expect([file.status, file.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(file.headers.get("content-type")).toMatch(/^image\//);
  expect(file.headers.get("content-security-policy")).toContain("sandbox");
  const saved = await get(`${public_id}/files/${picture.id}?save=1`);
  expect([saved.status, saved.headers.get("content-disposition")]).toEqual([200, expect.stringContaining("gear.png")]);
  expect((await get(`${public_id}/files/${newId()}`)).status).toBe(404);
  await changeDocument(owner, id, { published: false });
  for (const path of [public_id, `${public_id}/files/${picture.id}`]) expect((await get(path)).status).toBe(404);
});

test("a link that would run something is text", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  const paragraph = (href: string) => ({
    type: "paragraph",
    content: [{ type: "text", text: "press", marks: [{ type: "link", attrs: { href, title: null } }] }],
  });
  // Past the checks of writing, as if they had not been made.
  const content = { type: "doc", content: ["javascript:alert(1)", "data:text/html,x", "vbscript:x"].map(paragraph) };
  await running.sql(
    `with d as (update documents set content_revision = 2 where id = $1 returning *)
     insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
       author_actor_ids, size)
     select workspace_id, id, 2, $2, '', '', 'write', '{}', 0 from d`,
    [id, JSON.stringify(content)],
    home.workspaceId,
  );
  const { public_id } = (await changeDocument(home.owner, id, { published: true })).body;
  const { status, text } = await get(public_id);
  expect([status, text.match(/press/g)?.length]).toEqual([200, 3]);
  expect(text).not.toMatch(/javascript:|data:text|vbscript:/);
});

test("what is nobody's name is not found, whatever it looks like", async () => {
  for (const path of ["4pW0ZQm8yTjH2cVx6RkLb1", "x", "..%2f..%2fhealthz", "4pW0ZQm8yTjH2cVx6RkLb1/files/x", "%00"])
    expect([404, 400]).toContain((await get(path)).status);
  const { headers, text } = await get("4pW0ZQm8yTjH2cVx6RkLb1");
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(text).toContain("not published any more");
});

test("behind a proxy and under another name its links stay there, and each reader has a limit of their own", async () => {
  const home = await world(running);
  const { owner } = home;
  const [other, made] = [await newDocument(home, { title: "Other" }), await newDocument(home, { title: "Proxied" })];
  const picture = await newAttached(owner, `/documents/${made.id}`, await smallPicture(), {
    filename: "gear.png",
    content_type: "image/png",
  });
  const markdown = `![gear](attachment:${picture.id}) [Other](svc:document/${other.id})`;
  await owner.call("PUT", `/documents/${made.id}/markdown`, { body: { markdown }, ...any });
  const [linked, { public_id }] = await Promise.all(
    [other, made].map(async ({ id }) => (await changeDocument(owner, id, { published: true })).body),
  );
  const read = { requests: 2, seconds: 600 };
  const named = {
    publicUrl: "https://docs.example.com:0",
    trustProxy: { hops: 1 },
    rateLimits: { ...defaultRates, read },
  };
  const proxied = await serve({ ...testConfig, ...named, dataDir }, running.databaseUrl, { log: createLog("error") });
  try {
    const { origin, port } = new URL(proxied.url);
    const through = (path: string, client = "203.0.113.1") =>
      fetch(`http://127.0.0.1:${port}/p/${path}`, {
        redirect: "manual",
        headers: { "x-forwarded-for": client, "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
      });
    const page = await through(public_id);
    const text = await page.text();
    expect([page.status, page.headers.get("strict-transport-security")]).toEqual([
      200,
      expect.stringContaining("max-age"),
    ]);
    // From where the page is: no link names a host.
    expect([...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link).sort()).toEqual(
      [`/p/${linked.public_id}`, `/p/${public_id}/files/${picture.id}`].sort(),
    );
    const file = await through(`${public_id}/files/${picture.id}`, "203.0.113.2");
    expect([file.status, file.headers.get("location")]).toEqual([200, null]);
    expect(origin).toContain("docs.example.com");
    expect([(await through(public_id)).status, (await through(public_id)).status]).toEqual([200, 429]);
    expect((await through(public_id, "203.0.113.3")).status).toBe(200);
  } finally {
    await proxied.close();
  }
});

test("a published Project shows its plan without a script, in the reader's language, and nothing of it is taken for HTML", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home, {
    name: "<b>Engine</b>",
    icon: "⚙",
    target_date: "2027-03-31",
    description_markdown:
      "Turns **cranks** <script>alert(1)</script>\n\n![gear](attachment:01980000-0000-7000-8000-000000000001)",
  });
  await newTask(owner, project.id, { title: "Secret gears" });
  await newMilestone(owner, project.id, { name: "First <i>turn</i>", target_date: "2027-01-31" });
  const path = `/projects/${project.id}`;
  const { public_id } = (await owner.call("PATCH", path, { body: { published: true }, ...any })).body;
  const read = (language: string) =>
    fetch(`${running.url}/p/projects/${public_id}`, { headers: { "accept-language": language } });
  const answer = await read("en-GB");
  const text = await answer.text();
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(answer.headers.get("content-security-policy")).not.toMatch(/script-src|unsafe/);
  expect(text).not.toMatch(/<script|<i>|<b>|[Ss]ecret|<img/);
  expect(text).toContain("⚙ &lt;b&gt;Engine&lt;/b&gt;</h1>");
  expect(text).toContain("<strong>cranks</strong>");
  expect(text).toContain("First &lt;i&gt;turn&lt;/i&gt;");
  expect(text).toContain("March 31, 2027");
  const german = await (await read("de-CH,de;q=0.9")).text();
  expect(german).toContain('lang="de"');
  expect(german).toContain("31. März 2027");
  // A Document's page is not found under a Project's address, nor the other way round.
  expect((await get(public_id)).status).toBe(404);
  await owner.call("PATCH", path, { body: { published: false }, ...any });
  expect((await read("en")).status).toBe(404);
});

test("HEAD of a file has the headers of GET, and reads none of the object", async () => {
  const { path } = await publishedFile(remote);
  const [key, object] = [...s3.objects].at(-1) as [string, { bytes: Buffer; type: string }];
  const bytes = Buffer.alloc(32 * 1024 * 1024, "a");
  s3.objects.set(key, { ...object, bytes, checksum: undefined });
  const before = s3.cutOff;
  const answer = await fetch(remote.url + path, { method: "HEAD" });
  expect([answer.status, answer.headers.get("content-length"), answer.headers.get("content-disposition")]).toEqual([
    ...[200, String(bytes.length)],
    expect.stringContaining("gears.txt"),
  ]);
  await until("the service ends the answer of the storage", () => s3.cutOff > before);
  s3.objects.set(key, object);
  expect(await (await fetch(remote.url + path)).text()).toBe("Forty of them, in brass.");
});

test("a file that the storage does not give is answered with 503 and Retry-After, and is no unexpected error", async () => {
  const { path } = await publishedFile(remote);
  s3.broken = 500;
  try {
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(remote.url + path, { method });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    }
  } finally {
    s3.broken = null;
  }
  expect((await fetch(remote.url + path)).status).toBe(200);
});

test("a file of a reader who is above the limit is refused with 429 and Retry-After, and not reported as missing", async () => {
  const { path } = await publishedFile(running);
  const rateLimits = { ...defaultRates, write: { requests: 2, seconds: 600 } };
  const limited = await serve({ ...testConfig, dataDir, rateLimits }, running.databaseUrl, { log: createLog("error") });
  try {
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await fetch(limited.url + path));
    const last = answers.at(-1) as Response;
    expect([answers[0]?.status, last.status]).toEqual([200, 429]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await last.text()).not.toContain("not published");
  } finally {
    await limited.close();
  }
});

const descriptors = "/proc/self/fd";
/** Stored files that this process has open. */
const openObjects = () =>
  readdirSync(descriptors).filter((each) => {
    try {
      return readlinkSync(join(descriptors, each)).startsWith(join(dataDir, "objects"));
    } catch {
      return false;
    }
  });
test.runIf(process.platform === "linux")("a file is closed when its reader leaves before the first byte", async () => {
  const { path } = await publishedFile(running);
  const outside = new pg.Client(running.databaseUrl);
  await outside.connect();
  try {
    for (let count = 0; count < 3; count++) {
      await outside.query("begin");
      await outside.query("lock table publications in access exclusive mode");
      const { hostname, port } = new URL(running.url);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      await until("the request waits", async () => {
        const { rows } = await outside.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      socket.destroy();
      await once(socket, "close");
      await outside.query("rollback");
    }
  } finally {
    await outside.end();
  }
  expect(await (await fetch(running.url + path)).text()).toBe("Forty of them, in brass.");
  await until("every file is closed", () => openObjects().length === 0);
});
