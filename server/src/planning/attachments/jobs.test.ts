// What happens to files in the background: they are looked into, drawn small, and removed when nobody can reach them;
// safe to repeat.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import pg from "pg";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attach, newAttached, newAttachment, sentUpload } from "../../../test/attachments.ts";
import { picture } from "../../../test/pictures.ts";
import { startS3 } from "../../../test/s3.ts";
import { send } from "../../../test/storages.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, testConfig, type World, world } from "../../../test/world.ts";
import type { ExternalSystems, Storage, StoredObject } from "../../platform/outside/external-systems.ts";
import { openStorage } from "../../platform/outside/storage.ts";
import { eraseDeletedProjects } from "../projects/deletion/erasure.ts";
import { attachmentJobs, sweepAttachments } from "./jobs.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-attachments-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const running = service({ dataDir });
const storage = openStorage({ ...testConfig, dataDir }, () => running.url);
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(running.databaseUrl);
  await client.connect();
});
afterAll(() => client?.end());

const objects = () =>
  readdirSync(join(dataDir, "objects"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const keyOf = ({ workspaceId }: World, id: string, part = "file") => `attachments/${workspaceId}/${id}/${part}`;
const isThere = async (home: World, id: string, part?: string) =>
  (await storage.get(keyOf(home, id, part))) !== undefined;
const isKnown = async (id: string) =>
  (await client.query("select from attachments where id = $1", [id])).rowCount === 1;
const age = (id: string, change: string) => client.query(`update attachments set ${change} where id = $1`, [id]);
const preview = (person: Person, id: string) =>
  person.call("POST", `/attachments/${id}/preview`, { key: newKey() }).then(({ body }) => body);
const jobsWith = (scan: ExternalSystems["scan"] = null, over: Storage = storage) =>
  attachmentJobs(running.database, { storage: over, scan } as ExternalSystems);
const work = (name: string, home: World, id: string, jobs = jobsWith()) =>
  jobs[name]?.({ workspace_id: home.workspaceId, id }, {} as never);
const png = { filename: "a.png", content_type: "image/png" };

/** The same PNG, which says of itself that it has so many pixels on each side. */
function enlarged(file: Buffer, side: number): Buffer {
  const made = Buffer.from(file);
  made.writeUInt32BE(side, 16);
  made.writeUInt32BE(side, 20);
  made.writeUInt32BE(crc32(made.subarray(12, 29)), 29);
  return made;
}
async function taskIn(home: World) {
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  return { project, task, atTask: `/tasks/${task.id}`, atProject: `/projects/${project.id}` };
}

test("a picture gets a thumbnail that fits into 512 pixels and is then its preview; what is none has neither", async () => {
  const home = await world(running);
  const wide = await newAttachment(home.owner, await picture("jpeg", 2000, 1000), { content_type: "image/jpeg" });
  const small = await newAttachment(home.owner, await picture("png", 40, 30), png);
  for (const [{ id }, width, height] of [
    [wide, 512, 256],
    [small, 40, 30],
  ] as const) {
    await work("make_thumbnail", home, id);
    await work("make_thumbnail", home, id);
    const given = await preview(home.owner, id);
    expect(given.content_type).toBe("image/webp");
    const { body } = await send(given.url.replace("localhost", "127.0.0.1"), "GET");
    expect(await sharp(body).metadata()).toMatchObject({ format: "webp", width, height });
    expect((await home.owner.call("GET", `/attachments/${id}`)).body).toMatchObject({
      has_thumbnail: true,
      revision: "2",
    });
  }
  // Half a picture, and one that unpacks to 3.6 GB in the browser of whoever opens it.
  const half = await newAttachment(home.owner, (await picture("png", 400, 400)).subarray(0, 200), png);
  const bomb = await newAttachment(home.owner, enlarged(await picture("png", 4, 4), 30_000), png);
  const large = await newAttachment(home.owner, await picture("png", 8, 8), png);
  await age(large.id, "size = 32 * 1024 * 1024 + 1");
  for (const { id } of [half, bomb, large]) {
    expect((await preview(home.owner, id)).content_type).toBe("image/png");
    await work("make_thumbnail", home, id);
    await work("make_thumbnail", home, id);
    const { body } = await home.owner.call("GET", `/attachments/${id}`);
    expect(body).toMatchObject({
      has_thumbnail: false,
      capabilities: ["attachment:download", "attachment:attach", "attachment:delete"],
      revision: "2",
    });
    expect((await preview(home.owner, id)).code).toBe("preview_unavailable");
  }
  const text = await newAttachment(home.owner);
  await work("make_thumbnail", home, text.id);
  expect((await home.owner.call("GET", `/attachments/${text.id}`)).body).toMatchObject({
    has_thumbnail: false,
    revision: "1",
  });
});

test("a thumbnail that is finished after its file was deleted is deleted too", async () => {
  const home = await world(running);
  const { id } = await newAttachment(home.owner, await picture("png"), png);
  const slow: Storage = {
    ...storage,
    async put(...object) {
      await home.owner.call("DELETE", `/attachments/${id}`);
      await work("discard_attachment", home, id);
      await storage.put(...object);
    },
  };
  await work("make_thumbnail", home, id, jobsWith(null, slow));
  expect([await isThere(home, id), await isThere(home, id, "thumbnail")]).toEqual([false, false]);
});

describe("with something that looks into files", () => {
  const seen: string[] = [];
  const scan = async (bytes: AsyncIterable<Uint8Array>) => {
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    const text = Buffer.concat(parts).toString();
    seen.push(text);
    if (text.includes("later")) throw new Error("not now");
    return text.includes("EICAR") ? ("infected" as const) : ("clean" as const);
  };
  const own = mkdtempSync(join(tmpdir(), "svc-attachments-"));
  const scanning = service({ dataDir: own, roles: ["api", "worker"] }, { scan });
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  const stateOf = (person: Person, id: string) => async () =>
    (await person.call("GET", `/attachments/${id}`)).body.scan_state;

  test("a file is pending until it was found clean, and an infected one is never given out", async () => {
    const { owner } = await world(scanning);
    const harmless = await newAttachment(owner, await picture("png"), png);
    const evil = await newAttachment(owner, Buffer.from("X5O EICAR"));
    expect([harmless.scan_state, evil.scan_state]).toEqual(["pending", "pending"]);
    expect(harmless.capabilities).toEqual(["attachment:attach", "attachment:delete"]);
    await expect.poll(stateOf(owner, harmless.id)).toBe("clean");
    await expect.poll(stateOf(owner, evil.id)).toBe("infected");
    expect((await owner.call("POST", `/attachments/${evil.id}/download`)).body.code).toBe("attachment_infected");
    await expect.poll(async () => (await preview(owner, harmless.id)).content_type).toBe("image/webp");
  });

  test("one that cannot be looked into now stays pending, and is looked into again", async () => {
    const home = await world(running);
    const { id } = await newAttachment(home.owner, Buffer.from("try later"));
    const opened: (StoredObject | undefined)[] = [];
    const watched: Storage = {
      ...storage,
      async open(key) {
        opened.push(await storage.open(key));
        return opened.at(-1);
      },
    };
    await age(id, "scan_state = 'pending'");
    await expect(work("scan_attachment", home, id, jobsWith(scan, watched))).rejects.toThrow("not now");
    expect(await stateOf(home.owner, id)()).toBe("pending");
    await work(
      "scan_attachment",
      home,
      id,
      jobsWith(async () => "infected", watched),
    );
    expect([await stateOf(home.owner, id)(), await isThere(home, id)]).toEqual(["infected", false]);
    // It decided without reading anything, and the file is let go of all the same.
    expect((opened[1]?.bytes as Readable | undefined)?.destroyed).toBe(true);
    // Killed before it came to remove the bytes: the next run does.
    await storage.put(keyOf(home, id), Buffer.from("try later"), "text/plain");
    // Late or twice, it changes nothing any more.
    await work(
      "scan_attachment",
      home,
      id,
      jobsWith(async () => "clean"),
    );
    expect([await stateOf(home.owner, id)(), await isThere(home, id)]).toEqual(["infected", false]);
  });

  test("one that it does not take, or whose bytes are gone, has failed: kept, and not given out", async () => {
    const home = await world(running);
    for (const gone of [false, true]) {
      const { id } = await newAttachment(home.owner);
      await age(id, "scan_state = 'pending'");
      if (gone) await storage.delete(keyOf(home, id));
      const jobs = jobsWith(async () => (gone ? "clean" : "unscannable"));
      await work("scan_attachment", home, id, jobs);
      const { body } = await home.owner.call("GET", `/attachments/${id}`);
      expect(body).toMatchObject({ scan_state: "failed", capabilities: ["attachment:attach", "attachment:delete"] });
      for (const way of ["download", "preview"])
        expect((await home.owner.call("POST", `/attachments/${id}/${way}`, { key: newKey() })).body.code).toBe(
          "scan_failed",
        );
      expect(await isThere(home, id)).toBe(!gone);
    }
  });

  test("one that waits for long is looked into again by the sweep, and where there is no scanner any more it is not_scanned", async () => {
    const home = await world(running);
    const { id } = await newAttachment(home.owner, await picture("png"), png);
    const asked = async () =>
      (await client.query("select from graphile_worker.jobs where key = $1", [`scan ${id}`])).rowCount;
    await age(id, "scan_state = 'pending'");
    await sweepAttachments(client, storage);
    expect(await asked()).toBe(0);
    await age(id, "completed_at = now() - interval '11 minutes'");
    for (let again = 0; again < 2; again++) await sweepAttachments(client, storage);
    expect(await asked()).toBe(1);
    await work("scan_attachment", home, id);
    expect(await stateOf(home.owner, id)()).toBe("not_scanned");
    await work("make_thumbnail", home, id);
    expect((await preview(home.owner, id)).content_type).toBe("image/webp");
  });
});

describe("the sweep", () => {
  const sweep = () => sweepAttachments(client, storage);

  test("removes what has expired, was deleted or lies about for a day, and nothing else", async () => {
    const home = await world(running);
    const { owner } = home;
    const { atTask, atProject } = await taskIn(home);
    const long = "expires_at = now() - interval '25 hours', completed_at = now() - interval '25 hours'";
    const [open, expired] = [await sentUpload(owner, Buffer.from("open")), await sentUpload(owner, Buffer.from("old"))];
    const kept = [
      open,
      await newAttached(owner, atTask),
      await newAttached(owner, atProject),
      await newAttachment(owner),
    ];
    for (const { id } of kept.slice(1, 3)) await age(id, long);
    await age(kept[3].id, "expires_at = now() - interval '3 hours', completed_at = now() - interval '23 hours'");
    const gone = [expired, await newAttached(owner, atTask), await newAttachment(owner)];
    await age(expired.id, "expires_at = now() - interval '2 hours'");
    await owner.call("DELETE", `/attachments/${gone[1].id}`);
    for (const { id } of gone.slice(1)) await age(id, long);
    await sweep();
    for (const { id } of gone)
      expect([await isKnown(id), await isThere(home, id), await isThere(home, id, "upload")]).toEqual([
        false,
        false,
        false,
      ]);
    for (let again = 0; again < 2; again++) {
      for (const { id } of kept) {
        const part = id === open.id ? "upload" : "file";
        expect([await isKnown(id), await isThere(home, id, part)]).toEqual([true, true]);
      }
      await sweep();
    }
  });

  test("keeps the row while a URL could still bring the file back", async () => {
    const home = await world(running);
    const bytes = Buffer.from("late");
    const reserved = await sentUpload(home.owner, bytes);
    await home.owner.call("DELETE", `/attachment-uploads/${reserved.id}`);
    await work("discard_attachment", home, reserved.id);
    expect(await isThere(home, reserved.id, "upload")).toBe(false);
    // As an S3 service would, which lets it in.
    await storage.put(keyOf(home, reserved.id, "upload"), bytes, "text/plain");
    await sweep();
    expect([await isKnown(reserved.id), await isThere(home, reserved.id, "upload")]).toEqual([true, true]);
    await age(reserved.id, "expires_at = now() - interval '61 minutes'");
    await sweep();
    expect([await isKnown(reserved.id), await isThere(home, reserved.id, "upload")]).toEqual([false, false]);
  });

  test("that is killed anywhere leaves the row, and the next one finishes", async () => {
    const home = await world(running);
    const { id } = await newAttachment(home.owner, await picture("png"), png);
    await work("make_thumbnail", home, id);
    await home.owner.call("DELETE", `/attachments/${id}`);
    await age(id, "expires_at = now() - interval '2 hours'");
    const broken: Storage = {
      ...storage,
      delete: async (key) => {
        if (key.endsWith("thumbnail")) throw new Error("killed");
        await storage.delete(key);
      },
    };
    await expect(sweepAttachments(client, broken)).rejects.toThrow("killed");
    expect(await isKnown(id)).toBe(true);
    await Promise.all([sweep(), sweepAttachments(client, storage)]);
    expect([await isKnown(id), await isThere(home, id, "thumbnail")]).toEqual([false, false]);
  });

  test("finds what belonged to Tasks and Projects that are gone for good, more than a page of it", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const { atTask, atProject, task, project } = await taskIn(home);
    const files = [await newAttached(owner, atTask), await newAttached(owner, atProject)];
    await client.query(
      `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256, scan_state,
       uploaded_by_actor_id, expires_at, completed_at, attached_at, task_id, task_project_id)
       select $1, gen_random_uuid(), 'stored', 'f', 'text/plain', 1, sha256(''), 'clean', $2,
         now() - interval '2 hours', now(), now(), $3, $4 from generate_series(1, 120)`,
      [workspaceId, owner.actorId, task.id, project.id],
    );
    for (const { id } of files) await age(id, "expires_at = now() - interval '2 hours'");
    await sweep();
    await owner.call("DELETE", `/projects/${project.id}`);
    await client.query("update projects set deleted_at = now() - interval '31 days' where id = $1", [project.id]);
    await eraseDeletedProjects(client);
    await sweep();
    for (const { id } of files) expect([await isKnown(id), await isThere(home, id)]).toEqual([false, false]);
    const left = await client.query("select from attachments where workspace_id = $1", [workspaceId]);
    expect(left.rowCount).toBe(0);
  });

  test("leaves no object without a row", async () => {
    await client.query(
      `update attachments set state = 'deleted', task_id = null, project_id = null,
        expires_at = now() - interval '2 hours'`,
    );
    await sweep();
    expect(objects()).toEqual([]);
  });
});

test("in an S3 service the thumbnail and the sweep work alike", async () => {
  const s3 = await startS3();
  const remote = openStorage({ ...testConfig, storageUrl: s3.url }, () => "");
  const home = await world(running);
  const { id } = await newAttachment(home.owner, await picture("png", 600, 300), png);
  await remote.put(keyOf(home, id), (await storage.get(keyOf(home, id))) as Buffer, "image/png");
  await work("make_thumbnail", home, id, jobsWith(null, remote));
  expect([...s3.objects.keys()].sort()).toEqual([keyOf(home, id), keyOf(home, id, "thumbnail")]);
  await work("discard_attachment", home, id, jobsWith(null, remote));
  expect(s3.objects.size).toBe(0);
  await s3.close();
  const { atTask } = await taskIn(home);
  expect((await attach(home.owner, atTask, id)).status).toBe(201);
});
