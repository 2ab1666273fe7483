// Uploads: reserved, sent straight to storage, completed once. Whatever is sent, only what was announced becomes an
// attachment.
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import {
  announced,
  attach,
  complete,
  newAttachment,
  reserve,
  sendFile,
  sentUpload,
  sha256Of,
} from "../../../test/attachments.ts";
import { overlapping } from "../../../test/overlap.ts";
import { picture } from "../../../test/pictures.ts";
import { startS3 } from "../../../test/s3.ts";
import { send } from "../../../test/storages.ts";
import { eventsOf, newProject } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const s3 = await startS3();
afterAll(() => s3.close());
const services = { files: service(), S3: service({ storageUrl: s3.url }) };
const running = services.files;
const file = Buffer.from("Forty of them, in brass.");

const expire = ({ workspaceId }: World, id: string, where = running) =>
  where.sql("update attachments set expires_at = now() where id = $1", [id], workspaceId);
const stateOf = async ({ workspaceId }: World, id: string, where = running) =>
  (await where.sql<{ state: string }>("select state from attachments where id = $1", [id], workspaceId))[0]?.state;

describe.each(["files", "S3"] as const)("with %s", (kind) => {
  const here = services[kind];

  test("a file is reserved, sent without a credential, completed and downloaded unchanged under its name", async () => {
    const home = await world(here);
    const noise = randomBytes(3 * 1024 * 1024);
    const own = { filename: "Ünï gears.bin", content_type: "Application/Octet-Stream" };
    const reserved = await reserve(home.owner, noise, own);
    expect(reserved.status, reserved.text).toBe(201);
    const { id, upload, ...rest } = reserved.body;
    expect(rest).toMatchObject({ ...own, content_type: "application/octet-stream", size: noise.length });
    expect(upload.method).toBe("PUT");
    expect(upload.headers["content-type"]).toBe("application/octet-stream");
    expect(Object.keys(upload.headers)).toEqual(
      kind === "S3" ? ["content-type", "x-amz-checksum-sha256"] : ["content-type"],
    );
    const after = (moment: string) => Date.parse(moment) - Date.parse(rest.created_at);
    expect([after(upload.expires_at), after(rest.expires_at)]).toEqual([900_000, 3_600_000]);
    expect((await home.owner.call("GET", `/attachments/${id}`)).status).toBe(404);
    expect((await sendFile(upload, noise)).status).toBe(200);
    const completed = await complete(home.owner, id, newKey());
    expect(completed.status, completed.text).toBe(201);
    expect(completed.body).toMatchObject({
      id,
      sha256: sha256Of(noise),
      scan_state: "not_scanned",
      task_id: null,
      project_id: null,
      attached_at: null,
      uploaded_by_actor_id: home.owner.actorId,
      capabilities: ["attachment:download", "attachment:attach", "attachment:delete"],
    });
    const given = await home.owner.call("POST", `/attachments/${id}/download`, { key: newKey() });
    expect(given.status, given.text).toBe(200);
    expect([completed.trips <= 5, reserved.trips <= 5, given.trips <= 5]).toEqual([true, true, true]);
    const got = await send(given.body.url.replace("localhost", "127.0.0.1"), "GET");
    expect(got.body.equals(noise)).toBe(true);
    expect(got.headers["content-disposition"]).toContain("filename*=UTF-8''%C3%9Cn%C3%AF%20gears.bin");
    expect((await eventsOf(here, home, id)).map(({ type }) => type)).toEqual([
      "attachment.upload_reserved",
      "attachment.uploaded",
    ]);
  });

  test("storage refuses another length, type or checksum than was announced, and nothing is there to complete", async () => {
    const { owner } = await world(here);
    const { id, upload } = (await reserve(owner, file)).body;
    const other = Buffer.from(file.toString().replace("Forty", "Fifty"));
    expect((await sendFile(upload, file.subarray(1))).status).toBeGreaterThan(399);
    expect((await sendFile(upload, file, { "content-type": "text/html" })).status).toBeGreaterThan(399);
    expect((await sendFile(upload, other)).status).toBeGreaterThan(399);
    const early = await complete(owner, id);
    expect([early.status, early.body.code]).toEqual([422, "upload_incomplete"]);
    expect((await sendFile(upload, file)).status).toBe(200);
    expect((await sendFile(upload, other)).status).toBeGreaterThan(399);
    expect((await complete(owner, id)).status).toBe(201);
  });

  test("what claims to be a picture and is none is refused, and stays refused", async () => {
    const { owner } = await world(here);
    const { id } = await sentUpload(owner, Buffer.from("<script>alert(1)</script>"), { content_type: "image/png" });
    for (let again = 0; again < 2; again++) {
      const { status, body } = await complete(owner, id);
      expect([status, body.code, body.errors[0].code]).toEqual([422, "invalid_upload", "wrong_type"]);
    }
    const png = await picture("png");
    expect((await newAttachment(owner, png, { content_type: "image/png" })).capabilities).toContain(
      "attachment:preview",
    );
  });

  test("fifty completions at once make one attachment and answer it alike", async () => {
    const home = await world(here);
    const { id } = await sentUpload(home.owner, file);
    const answers = await Promise.all(Array.from({ length: 50 }, () => complete(home.owner, id)));
    // Where all connections to the database are taken, one is told to come again.
    const done = answers.filter(({ status }) => status !== 503);
    expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(done[0]?.status).toBe(201);
    const events = await eventsOf(here, home, id);
    expect(events.filter(({ type }) => type === "attachment.uploaded")).toHaveLength(1);
    expect((await complete(home.owner, id)).text).toBe(done[0]?.text);
  });
});

describe("an S3 service that checks nothing itself", () => {
  const here = services.S3;
  test("and keeps what says that it is packed: it counts as not sent, and is never unpacked here", async () => {
    const { owner } = await world(here);
    // A thousand times as much as was announced.
    const packed = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const { id, upload } = (await reserve(owner, packed, { content_type: "application/gzip" })).body;
    expect((await sendFile(upload, packed, { "content-encoding": "gzip" })).status).toBe(200);
    const { status, body } = await complete(owner, id);
    expect([status, body.code]).toEqual([422, "upload_incomplete"]);
    expect((await sendFile(upload, packed)).status).toBe(200);
    expect((await complete(owner, id)).status).toBe(201);
  });

  test("is not believed: length and checksum are compared when the upload is completed", async () => {
    const { owner, workspaceId } = await world(here);
    const { id } = await sentUpload(owner, file);
    const object = s3.objects.get(`attachments/${workspaceId}/${id}/upload`) as { bytes: Buffer; checksum?: string };
    const right = { ...object };
    const refused = async () => (await complete(owner, id)).body.errors[0].code;
    Object.assign(object, { bytes: Buffer.from("Fifty of them, in brass."), checksum: undefined });
    expect(await refused()).toBe("wrong_checksum");
    Object.assign(object, { bytes: file.subarray(1) });
    expect(await refused()).toBe("wrong_length");
    Object.assign(object, { bytes: right.bytes });
    expect((await complete(owner, id)).status).toBe(201);
  });

  test("while it is down the answer is 503, and completing works afterwards", async () => {
    const { owner } = await world(here);
    const { id } = await sentUpload(owner, file);
    s3.broken = 500;
    const answer = await complete(owner, id);
    s3.broken = null;
    expect([answer.status, answer.body.code]).toEqual([503, "overloaded"]);
    expect((await complete(owner, id)).status).toBe(201);
  });
});

test("a file has the bytes of the limit at most, and one at least", async () => {
  const { owner } = await world(running);
  const limit = 100 * 1024 * 1024;
  expect((await reserve(owner, file, { size: limit })).status).toBe(201);
  const { status, body } = await reserve(owner, file, { size: limit + 1 });
  expect([status, body.code, body.errors[0].pointer]).toEqual([413, "upload_too_large", "/body/size"]);
  for (const wrong of [
    { size: 0 },
    { size: 1.5 },
    { sha256: sha256Of(file).toUpperCase() },
    { sha256: "ab" },
    { filename: "" },
    { filename: "a\nb" },
    { filename: "x".repeat(256) },
    { content_type: "png" },
    { content_type: "image/png; charset=utf-8" },
    { content_type: "image/png\r\nx: y" },
  ])
    expect((await reserve(owner, file, wrong)).status, JSON.stringify(wrong)).toBe(400);
  expect((await reserve(owner, file, { filename: "ü".repeat(255) })).status).toBe(201);
});

describe("a smaller limit", () => {
  const small = service({ uploadLimit: 1024 });
  test("holds", async () => {
    const { owner } = await world(small);
    expect((await reserve(owner, Buffer.alloc(1024))).status).toBe(201);
    expect((await reserve(owner, Buffer.alloc(1025))).body.code).toBe("upload_too_large");
  });
});

test("somebody has fifty open reservations at most, of many at once too, and one that ends makes room", async () => {
  const home = await world(running);
  const person = await home.member("member");
  const fill = `insert into attachments (workspace_id, id, filename, content_type, size, sha256, uploaded_by_actor_id,
    expires_at)
    select $1, gen_random_uuid(), 'f', 'text/plain', 1, sha256(''), $2, now() + interval '1 hour'
    from generate_series(1, 45)`;
  await running.sql(fill, [home.workspaceId, person.actorId], home.workspaceId);
  const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(person, file)));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(5);
  expect(new Set(answers.filter((answer) => !made.includes(answer)).map(({ body }) => body.code))).toEqual(
    new Set(["limit_reached"]),
  );
  expect((await reserve(home.owner, file)).status).toBe(201);
  await expire(home, made[0]?.body.id);
  expect((await reserve(person, file)).status).toBe(201);
  expect((await reserve(person, file)).body.code).toBe("limit_reached");
  await person.call("DELETE", `/attachment-uploads/${made[1]?.body.id}`);
  expect((await reserve(person, file)).status).toBe(201);
});

test("somebody has two hundred at most that are attached nowhere, or whose URL could bring a deleted file back", async () => {
  const home = await world(running);
  const person = await home.member("member");
  const fill = `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256,
    uploaded_by_actor_id, expires_at, completed_at)
    select $1, gen_random_uuid(), $3, 'f', 'text/plain', 1, sha256(''), $2, now() + make_interval(hours => $4), now()
    from generate_series(1, $5::int)`;
  const add = (state: string, hours: number, count: number) =>
    running.sql(fill, [home.workspaceId, person.actorId, state, hours, count], home.workspaceId);
  // Completed, whether their URL works or not; deleted, as long as it does.
  await add("stored", -1, 100);
  await add("deleted", -1, 300);
  await add("deleted", 1, 98);
  const [first, second] = [await newAttachment(person), await sentUpload(person, file)];
  expect((await reserve(person, file)).body.code).toBe("limit_reached");
  expect((await reserve(home.owner, file)).status).toBe(201);
  // A reservation that is completed is still one of them, and one that is attached is not.
  await complete(person, second.id);
  expect((await reserve(person, file)).body.code).toBe("limit_reached");
  const project = await newProject(home);
  expect((await attach(person, `/projects/${project.id}`, first.id)).status).toBe(201);
  expect((await reserve(person, file)).status).toBe(201);
});

test("an expired reservation is not completed", async () => {
  const home = await world(running);
  const { id } = await sentUpload(home.owner, file);
  await expire(home, id);
  const { status, body } = await complete(home.owner, id);
  expect([status, body.code]).toEqual([410, "upload_expired"]);
  expect(await stateOf(home, id)).toBe("reserved");
});

test("a reservation that expires while its file is looked at says so; one that is cancelled meanwhile is gone", async () => {
  const home = await world(running);
  for (const [change, expected] of [
    ["expires_at = now()", [410, "upload_expired"]],
    ["state = 'deleted'", [404, "not_found"]],
  ] as const) {
    const { id } = await sentUpload(home.owner, file);
    const hold: [string, string] = [`update attachments set ${change} where id = $1`, id];
    const { status, body } = await overlapping(running, hold, 1, () => complete(home.owner, id), home.workspaceId);
    expect([status, body.code]).toEqual(expected);
  }
});

test("a cancelled upload is gone, its file is removed by a job, and a completed one is not cancelled", async () => {
  const home = await world(running);
  const { id } = await sentUpload(home.owner, file);
  expect((await home.owner.call("DELETE", `/attachment-uploads/${id}`)).status).toBe(204);
  expect(await stateOf(home, id)).toBe("deleted");
  expect((await complete(home.owner, id)).status).toBe(404);
  expect((await home.owner.call("DELETE", `/attachment-uploads/${id}`)).status).toBe(404);
  const done = await newAttachment(home.owner);
  const answer = await home.owner.call("DELETE", `/attachment-uploads/${done.id}`);
  expect([answer.status, answer.body.code]).toEqual([409, "upload_completed"]);
});

test("an upload is its uploader's alone: to anybody else it is not there", async () => {
  const home = await world(running);
  const [admin, viewer] = [await home.member("admin"), await home.member("viewer")];
  const stranger = (await world(running)).owner;
  const { id } = await sentUpload(await home.member("member"), file);
  for (const person of [home.owner, admin, viewer, stranger]) {
    expect((await complete(person, id)).status).toBe(404);
    expect((await person.call("DELETE", `/attachment-uploads/${id}`)).status).toBe(404);
  }
  const refused = await reserve(viewer, file);
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
});

test("whoever was suspended, or became a viewer, completes nothing any more", async () => {
  const home = await world(running);
  const [gone, demoted] = [await home.member("member"), await home.member("member")];
  const uploads = [await sentUpload(gone, file), await sentUpload(demoted, file)];
  const change = (column: string, value: string, { userId }: Person) =>
    running.sql(`update memberships set ${column} = $1 where user_id = $2`, [value, userId]);
  await change("state", "suspended", gone);
  await change("role", "viewer", demoted);
  expect((await complete(gone, uploads[0].id)).status).toBe(404);
  expect((await complete(demoted, uploads[1].id)).status).toBe(403);
});

test("a retry with the same key answers the same reservation, kept sealed", async () => {
  const home = await world(running);
  const key = newKey();
  const ask = () => home.owner.call("POST", "/attachment-uploads", { body: announced(file), key });
  const [first, again] = [await ask(), await ask()];
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  const kept = await running.sql<{ body: string }>("select body from idempotency_keys", [], home.workspaceId);
  expect(kept.some(({ body }) => body.includes("signature="))).toBe(false);
});

test("a native client uploads as well, in the Workspace that it names", async () => {
  const { owner, workspaceId } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  const call: Person["call"] = (method, path, options = {}) =>
    owner.bearer(native, method, path, { ...options, headers: { "x-svc-workspace-id": workspaceId } });
  const { id } = await newAttachment({ call });
  expect((await owner.call("GET", `/attachments/${id}`)).status).toBe(200);
  const nowhere = await owner.bearer(native, "POST", "/attachment-uploads", { body: announced(file) });
  expect([nowhere.status, nowhere.body.errors?.[0]?.pointer]).toEqual([400, "/headers/x-svc-workspace-id"]);
  expect((await complete(owner, newId())).status).toBe(404);
});
