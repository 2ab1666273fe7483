// The files of a Document: whoever sees it sees them, wherever it goes. What becomes of files is tested with
// attachments themselves.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { attach, newAttached, newAttachment } from "../../../test/attachments.ts";
import { changeDocument, newDocument } from "../../../test/documents.ts";
import { newProject, refusalOf } from "../../../test/work.ts";
import { service, testConfig, world } from "../../../test/world.ts";
import { sweepAttachments } from "../../planning/attachments/jobs.ts";
import { openStorage } from "../../platform/outside/storage.ts";
import { newId } from "../../platform/wire/ids.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-document-files-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const running = service({ dataDir });
const storage = openStorage({ ...testConfig, dataDir }, () => running.url);

test("a Document lists its files, newest first, and takes none in the trash", async () => {
  const home = await world(running);
  const { owner } = home;
  const { id } = await newDocument(home);
  const [first, second] = [await newAttached(owner, `/documents/${id}`), await newAttached(owner, `/documents/${id}`)];
  expect(first).toMatchObject({ document_id: id, task_id: null, project_id: null });
  const { items } = (await owner.call("GET", `/documents/${id}/attachments`)).body;
  expect(items.map((item: { id: string }) => item.id)).toEqual([second.id, first.id]);
  await owner.call("DELETE", `/documents/${id}`);
  const loose = await newAttachment(owner);
  expect((await attach(owner, `/documents/${id}`, loose.id)).body.code).toBe("document_trashed");
  expect(refusalOf(await attach(owner, `/documents/${(await newDocument(home)).id}`, newId()))).toEqual([
    ...[422, "invalid_reference", "/body/attachment_id"],
  ]);
});

test("a file follows its Document into another Project, and is hidden with it", async () => {
  const home = await world(running);
  const { owner } = home;
  const member = await home.member("member");
  const { id } = await newDocument(home);
  const file = await newAttached(owner, `/documents/${id}`);
  const read = async () => (await member.call("GET", `/attachments/${file.id}`)).status;
  expect(await read()).toBe(200);
  expect((await member.call("DELETE", `/attachments/${file.id}`)).status).toBe(403);
  const project = await newProject(home, { visibility: "private" });
  await changeDocument(owner, id, { project_id: project.id });
  expect(await read()).toBe(404);
  expect((await owner.call("GET", `/attachments/${file.id}`)).body.project_id).toBe(project.id);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
  expect((await owner.call("DELETE", `/attachments/${file.id}`)).body.code).toBe("project_archived");
});

test("the sweep leaves the files of Documents alone and removes those of one that is gone", async () => {
  const home = await world(running);
  const { owner } = home;
  const { id } = await newDocument(home);
  const file = await newAttached(owner, `/documents/${id}`);
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  const state = async () =>
    (await client.query("select state from attachments where id = $1", [file.id])).rows[0]?.state;
  try {
    await client.query(
      `update attachments set expires_at = now() - interval '2 days', completed_at = now() - interval '2 days'
        where id = $1`,
      [file.id],
    );
    await sweepAttachments(client as never, storage);
    expect(await state()).toBe("stored");
    await owner.call("DELETE", `/documents/${id}`);
    await owner.call("DELETE", `/documents/${id}/permanent`);
    await sweepAttachments(client as never, storage);
    expect(await state()).toBeUndefined();
  } finally {
    await client.end();
  }
});
