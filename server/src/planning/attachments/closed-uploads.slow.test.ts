// What has ended lets nothing in: after an upload was cancelled or completed, was deleted or has expired, whatever
// comes to its URL is refused, or lies where nobody reaches it and is removed. Also what was under way at that moment.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complete, newAttachment, reserve, sendFile, sentUpload, type Target } from "../../../test/attachments.ts";
import { startS3 } from "../../../test/s3.ts";
import { send } from "../../../test/storages.ts";
import { newKey, type Person, service, testConfig, type World, world } from "../../../test/world.ts";
import type { ExternalSystems, Storage } from "../../platform/outside/external-systems.ts";
import { openStorage } from "../../platform/outside/storage.ts";
import { attachmentJobs, sweepAttachments } from "./jobs.ts";

const s3 = await startS3();
afterAll(() => s3.close());
const dataDir = mkdtempSync(join(tmpdir(), "svc-closed-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const services = { files: service({ dataDir }), S3: service({ storageUrl: s3.url }) };
const file = Buffer.from("Forty of them, in brass.");
const other = Buffer.from("Fifty of them, in brass.");

/** What ends an upload, after which its URL is tried again. */
const ends = {
  cancelled: (person: Person, { id }: { id: string }) => person.call("DELETE", `/attachment-uploads/${id}`),
  completed: (person: Person, { id }: { id: string }) => complete(person, id),
  deleted: async (person: Person, { id }: { id: string }) => {
    await complete(person, id);
    return person.call("DELETE", `/attachments/${id}`);
  },
};

describe.each(["files", "S3"] as const)("with %s", (kind) => {
  const here = services[kind];
  let storage: Storage;
  let client: pg.Client;
  beforeAll(async () => {
    storage = openStorage({ ...testConfig, dataDir, storageUrl: kind === "S3" ? s3.url : null }, () => here.url);
    client = new pg.Client(here.databaseUrl);
    await client.connect();
  });
  afterAll(() => client?.end());

  const keyOf = ({ workspaceId }: World, id: string, part: string) => `attachments/${workspaceId}/${id}/${part}`;
  const lies = async (home: World, id: string) => {
    const found = await Promise.all(["upload", "file"].map((part) => storage.get(keyOf(home, id, part))));
    return found.map((bytes) => bytes?.toString());
  };
  const age = (id: string, change: string) => client.query(`update attachments set ${change} where id = $1`, [id]);
  const work = (name: string, home: World, id: string) =>
    attachmentJobs(here.database, { storage, scan: null } as unknown as ExternalSystems)[name]?.(
      { workspace_id: home.workspaceId, id },
      {} as never,
    );
  /** The jobs that were asked for, now and later. */
  const jobsFor = async (id: string) => {
    const { rows } = await client.query<{ name: string; later: boolean }>(
      `select j.task_identifier as name, j.run_at > now() + interval '30 minutes' as later from graphile_worker.jobs j
       join graphile_worker._private_jobs p using (id) where p.payload ->> 'id' = $1 order by j.run_at`,
      [id],
    );
    return rows.map(({ name, later }) => `${name}${later ? " later" : ""}`);
  };
  const download = async (person: Person, id: string) => {
    const { body } = await person.call("POST", `/attachments/${id}/download`, { key: newKey() });
    return body.url.replace("localhost", "127.0.0.1");
  };
  /** Nothing is stored, or it lies at the S3 service where nobody is sent to. */
  const refused = async (target: Target, bytes = file) => {
    const { status, body } = await sendFile(target, bytes);
    if (kind === "S3") return expect(status).toBe(200);
    expect([status, JSON.parse(body.toString()).code]).toEqual([410, "upload_closed"]);
  };

  test.each(Object.keys(ends) as (keyof typeof ends)[])(
    "a URL of an upload that was %s brings nothing",
    async (end) => {
      const home = await world(here);
      const { owner } = home;
      const reserved = await sentUpload(owner, file);
      const { status } = await ends[end](owner, reserved);
      expect(status).toBeLessThan(300);
      const asked = await jobsFor(reserved.id);
      const closing = end === "cancelled" ? ["discard_attachment"] : ["close_upload"];
      for (const name of closing) expect(asked).toContain(name);
      for (const name of new Set(asked.filter((each) => /^(close|discard)\w+$/.test(each))))
        await work(name, home, reserved.id);
      const left = end === "completed" ? [undefined, file.toString()] : [undefined, undefined];
      expect(await lies(home, reserved.id)).toEqual(left);
      await refused(reserved.upload);
      if (kind === "files") expect(await lies(home, reserved.id)).toEqual(left);
      // Where the service lets it in, it is removed when the URL has ended for good.
      if (end === "completed") {
        expect(asked).toContain("close_upload later");
        await work("close_upload", home, reserved.id);
      } else {
        await age(reserved.id, "expires_at = now() - interval '61 minutes'");
        await sweepAttachments(client, storage);
      }
      expect(await lies(home, reserved.id)).toEqual(left);
    },
  );

  test("a URL of a reservation that has expired brings nothing, and what it brought before is removed", async () => {
    const home = await world(here);
    const reserved = await sentUpload(home.owner, file);
    await age(reserved.id, "expires_at = now() - interval '61 minutes'");
    await refused(reserved.upload);
    await sweepAttachments(client, storage);
    expect(await lies(home, reserved.id)).toEqual([undefined, undefined]);
  });

  test("what comes to the URL after the completion changes nothing of the attachment, whatever storage let in", async () => {
    const home = await world(here);
    const { id, upload } = await sentUpload(home.owner, file);
    await complete(home.owner, id);
    await refused(upload);
    // A service that compares no checksums, or an operator's own hand.
    await storage.put(keyOf(home, id, "upload"), other, "text/plain");
    const { body } = await send(await download(home.owner, id), "GET");
    expect(body.toString()).toBe(file.toString());
    expect((await complete(home.owner, id)).status).toBe(201);
    expect((await storage.get(keyOf(home, id, "file")))?.toString()).toBe(file.toString());
  });

  test("a completion that was cut off after the file was moved is finished by the next one", async () => {
    const home = await world(here);
    const { id } = await sentUpload(home.owner, file);
    const [from, to] = [keyOf(home, id, "upload"), keyOf(home, id, "file")];
    const seen = await storage.open(from);
    await seen?.close();
    expect(await storage.move(from, to, seen?.version as string)).toBe(true);
    expect(await lies(home, id)).toEqual([undefined, file.toString()]);
    expect((await complete(home.owner, id)).status).toBe(201);
  });

  test("an attachment that is deleted takes along the URLs that were given out for it", async () => {
    const home = await world(here);
    const { id } = await newAttachment(home.owner, file);
    const url = await download(home.owner, id);
    expect((await send(url, "GET")).status).toBe(200);
    await home.owner.call("DELETE", `/attachments/${id}`);
    await work("discard_attachment", home, id);
    expect((await send(url, "GET")).status).toBe(404);
  });

  test("a moved object is another version of nothing else: what was put in between is not moved", async () => {
    const home = await world(here);
    const [from, to] = [keyOf(home, "a", "upload"), keyOf(home, "a", "file")];
    await storage.put(from, file, "text/plain");
    const seen = await storage.open(from);
    await seen?.close();
    await storage.put(from, other, "text/plain");
    expect(await storage.move(from, to, seen?.version as string)).toBe(false);
    expect(await storage.get(to)).toBeUndefined();
    await storage.delete(from);
    expect(await storage.move(from, to, seen?.version as string)).toBe(false);
  });
});

describe("an upload that is under way", () => {
  const here = services.files;
  const incoming = () => readdirSync(join(dataDir, "objects", "incoming"));
  const objects = () =>
    readdirSync(join(dataDir, "objects"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  test.each(["cancelled", "completed"] as const)("when it is %s ends with 410, and leaves nothing", async (end) => {
    const home = await world(here);
    const large = Buffer.alloc(300_000, 7);
    const reserved = (await reserve(home.owner, large)).body;
    if (end === "completed") expect((await sendFile(reserved.upload, large)).status).toBe(200);
    const { url, headers } = reserved.upload;
    const late = request(url.replace("localhost", "127.0.0.1"), {
      method: "PUT",
      headers: { ...headers, "content-length": large.length },
    });
    const answered = new Promise<number>((resolve, reject) =>
      late.on("response", (answer) => resolve(answer.resume().statusCode as number)).on("error", reject),
    );
    late.write(large.subarray(0, 200_000));
    await expect.poll(incoming).toHaveLength(1);
    await ends[end](home.owner, reserved);
    const before = objects().length - 1;
    late.end(large.subarray(200_000));
    expect(await answered).toBe(410);
    expect([incoming(), objects().length]).toEqual([[], before]);
  });
});

describe("a completion during which", () => {
  const here = services.S3;
  afterAll(() => {
    s3.before = null;
  });
  /** Once, when the service is about to copy. */
  const whenMoved = (happens: () => unknown) => {
    s3.before = async (method, key) => {
      if (method !== "PUT" || !key.endsWith("/file")) return;
      s3.before = null;
      await happens();
    };
  };
  const objectsOf = ({ workspaceId }: World) => [...s3.objects.keys()].filter((key) => key.includes(workspaceId));

  test("the upload is cancelled answers 404, and leaves no file", async () => {
    const home = await world(here);
    const { id } = await sentUpload(home.owner, file);
    whenMoved(() => ends.cancelled(home.owner, { id }));
    expect((await complete(home.owner, id)).status).toBe(404);
    expect(objectsOf(home)).toEqual([]);
  });

  test("something else is put takes nothing but what was looked at", async () => {
    const home = await world(here);
    const { id, upload } = await sentUpload(home.owner, file);
    const key = `attachments/${home.workspaceId}/${id}/upload`;
    const put = (bytes: Buffer) => s3.objects.set(key, { bytes, type: "text/plain" });
    whenMoved(() => put(other));
    const { status, body } = await complete(home.owner, id);
    expect([status, body.code, body.errors[0].code]).toEqual([422, "invalid_upload", "wrong_checksum"]);
    expect(objectsOf(home)).toEqual([key]);
    expect((await sendFile(upload, file)).status).toBe(200);
    expect((await complete(home.owner, id)).status).toBe(201);
  });

  test("the copy fails although the service has answered 200 is no completion", async () => {
    const home = await world(here);
    const { id } = await sentUpload(home.owner, file);
    s3.brokenCopy = true;
    expect((await complete(home.owner, id)).status).toBe(503);
    s3.brokenCopy = false;
    expect((await complete(home.owner, id)).status).toBe(201);
  });
});
