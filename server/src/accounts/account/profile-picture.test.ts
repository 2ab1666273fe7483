// The profile picture: whatever is sent, what is stored is a plain square that we have written ourselves, or nothing.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { animation, cameraPicture, hugePng, picture, pngOf, smallPicture } from "../../../test/pictures.ts";
import { startS3 } from "../../../test/s3.ts";
import { insertCredential, newKey, type Person, service, type TestService, world } from "../../../test/world.ts";
import { NIL, newSecret } from "../../platform/wire/ids.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-pictures-"));
const running = service({ dataDir });
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const path = "/me/profile-picture";
const MiB = 1024 * 1024;

const post = (person: Person, raw: Buffer, type = "image/png", more: object = {}) =>
  person.call("POST", path, { raw, headers: { "content-type": type }, ...more });
const locationOf = async (person: Person, at = `${path}/content`) => {
  const answer = await person.call("GET", at);
  expect(answer.status, answer.text).toBe(302);
  return (answer.headers.get("location") as string).replace("localhost", "127.0.0.1");
};
const bytesAt = async (location: string) => Buffer.from(await (await fetch(location)).arrayBuffer());
const shownTo = async (person: Person) => bytesAt(await locationOf(person));
/** The colour in the middle of a quarter of the picture. */
async function colourAt(bytes: Buffer, x: "left" | "right", y: "top" | "bottom"): Promise<string> {
  const region = { left: x === "left" ? 32 : 416, top: y === "top" ? 32 : 416, width: 64, height: 64 };
  const [r = 0, g = 0, b = 0] = await sharp(bytes).extract(region).removeAlpha().resize(1, 1).raw().toBuffer();
  return r > 150 && b < 100 ? "red" : b > 150 && r < 100 ? "blue" : `${r} ${g} ${b}`;
}
const objects = () =>
  readdirSync(join(dataDir, "objects"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const keyOf = async ({ userId }: Person) =>
  (await running.sql<{ picture_key: string | null }>("select picture_key from users where id = $1", [userId]))[0]
    ?.picture_key;
interface Job {
  key: string;
  later: boolean;
}
/**
 * What is queued about pictures of somebody, in the order in which it will run. The queue belongs to the owner of the
 * database.
 */
async function jobsOf({ userId }: Person): Promise<Job[]> {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  const { rows } = await client.query<Job>(
    `select p.payload->>'key' as key, j.run_at > now() + interval '50 minutes' as later
     from graphile_worker._private_jobs p join graphile_worker.jobs j on j.id = p.id
     where j.task_identifier = 'discard_picture' and p.payload->>'user_id' = $1 order by j.run_at, j.id`,
    [userId],
  );
  await client.end();
  return rows;
}

test.each([
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
] as const)("a %s becomes a square of 512 pixels, stored and shown by a redirect", async (format, type) => {
  const { owner } = await world(running);
  const answer = await post(owner, await picture(format, 300, 120), type);
  expect(answer.status, answer.text).toBe(200);
  const shown = await shownTo(owner);
  expect(answer.body).toMatchObject({ content_type: "image/webp", width: 512, height: 512, size: shown.length });
  expect(await sharp(shown).metadata()).toMatchObject({ format: "webp", width: 512, height: 512 });
  expect(await colourAt(shown, "left", "top")).toBe("red");
});

test("the redirect leads to storage without the caller's credential, and says how to treat what is there", async () => {
  const { owner } = await world(running);
  await post(owner, await smallPicture());
  const location = await locationOf(owner);
  expect(location).toContain("/storage/pictures/");
  const stored = await fetch(location);
  expect(stored.status).toBe(200);
  expect(stored.headers.get("content-type")).toBe("image/webp");
  expect(stored.headers.get("x-content-type-options")).toBe("nosniff");
  expect(stored.headers.get("content-security-policy")).toContain("sandbox");
  expect((await fetch(location.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status).toBe(400);
  expect((await fetch(location, { method: "PUT", body: "x" })).status).toBe(400);
});

test("the middle is kept, upright as the camera says, and what else the file says is thrown away", async () => {
  const { owner } = await world(running);
  const sent = await cameraPicture();
  expect(sent.includes("Secret Name")).toBe(true);
  await post(owner, sent, "image/jpeg");
  const shown = await shownTo(owner);
  // Turned by a quarter, the blue third is on top, of which the middle square keeps the lower part.
  expect(await colourAt(shown, "left", "top")).toBe("blue");
  expect(await colourAt(shown, "right", "top")).toBe("blue");
  expect(await colourAt(shown, "left", "bottom")).toBe("red");
  const { exif, icc, xmp, iptc, orientation } = await sharp(shown).metadata();
  expect([exif, icc, xmp, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  expect(shown.includes("Secret Name")).toBe(false);
});

test.each(["gif", "webp"] as const)("of an animated %s only the first frame is kept", async (format) => {
  const { owner } = await world(running);
  expect((await post(owner, await animation(format, 200), `image/${format}`)).status).toBe(200);
  const shown = await shownTo(owner);
  expect((await sharp(shown).metadata()).pages ?? 1).toBe(1);
  expect(await colourAt(shown, "right", "bottom")).toBe("red");
});

test("a picture has 40 megapixels at most, whatever its bytes", async () => {
  const { owner } = await world(running);
  expect((await post(owner, hugePng(8000, 5000))).status).toBe(200);
  for (const bomb of [hugePng(8001, 5000), pngOf(65_000, 65_000), pngOf(2 ** 31 - 1, 2 ** 31 - 1), pngOf(0, 10)]) {
    const answer = await post(owner, bomb);
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_picture"]);
  }
});

test("a body has 5 MiB at most, declared or not", async () => {
  const { owner } = await world(running);
  const image = await smallPicture();
  const padded = (size: number) => Buffer.concat([image, Buffer.alloc(size - image.length)]);
  expect((await post(owner, padded(5 * MiB))).status).toBe(200);
  const answer = await post(owner, padded(5 * MiB + 1));
  expect([answer.status, answer.body.code]).toEqual([413, "payload_too_large"]);
});

describe("what is no picture", async () => {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>alert(1)</script><image ` +
    `href="file:///etc/passwd"/></svg>`;
  const [jpeg, png] = [await picture("jpeg", 400, 400), await picture("png", 400, 400)];
  const webp = await picture("webp", 400, 400);
  const header = { jpeg: jpeg.subarray(0, 20), png: png.subarray(0, 33), gif: Buffer.from("GIF89a") };
  const others: Record<string, Buffer> = {
    "an SVG": Buffer.from(svg),
    "an SVG with a declaration": Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg}`,
    ),
    "a page": Buffer.from("<html><script>alert(1)</script></html>"),
    "a page that begins like a GIF": Buffer.from("GIF89a/*<html><script>alert(1)</script></html>*/"),
    "a script that begins like a JPEG": Buffer.concat([header.jpeg, Buffer.from("*/=alert(1)/*")]),
    "a page behind the head of a PNG": Buffer.concat([header.png, Buffer.from("<script>alert(1)</script>")]),
    "an archive": Buffer.concat([Buffer.from("504b0304", "hex"), randomBytes(500)]),
    "a PDF": Buffer.from("%PDF-1.7\n1 0 obj <<>> endobj"),
    "a TIFF": await sharp(png).tiff().toBuffer(),
    "an AVIF": await sharp(png).avif({ effort: 0 }).toBuffer(),
    "a BMP": Buffer.concat([Buffer.from("BM"), Buffer.alloc(200)]),
    "raw pixels of a portable map": Buffer.from(`P6 8 8 255\n${"x".repeat(192)}`),
    "ImageMagick's own language": Buffer.from("push graphic-context\nfill 'url(https://example.com/x)'\n"),
    "half a JPEG": jpeg.subarray(0, jpeg.length / 2),
    "half a PNG": png.subarray(0, png.length / 2),
    "half a WebP": webp.subarray(0, webp.length / 2),
    "a JPEG without its end": jpeg.subarray(0, jpeg.length - 40),
    "a PNG without its end": png.subarray(0, png.length - 40),
    "only a head": header.png,
    "a PNG whose data is damaged": Buffer.concat([png.subarray(0, 60), randomBytes(60), png.subarray(120)]),
    noise: randomBytes(10_000),
    "one byte": Buffer.from("x"),
  };
  test.each(Object.keys(others))("%s is refused, whatever it says it is, and changes nothing", async (name) => {
    const { owner } = await world(running);
    await post(owner, await smallPicture());
    const before = [await keyOf(owner), await jobsOf(owner)];
    for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"]) {
      const answer = await post(owner, others[name] as Buffer, type);
      expect([answer.status, answer.body.code], type).toEqual([422, "invalid_picture"]);
    }
    expect([await keyOf(owner), await jobsOf(owner)]).toEqual(before);
  });

  test("a picture with something behind it becomes the picture alone", async () => {
    const { owner } = await world(running);
    const payload = "<html><script>alert(document.cookie)</script></html>";
    const archive = Buffer.concat([Buffer.from("504b0304", "hex"), Buffer.from(payload)]);
    for (const [head, type] of [
      [jpeg, "image/jpeg"],
      [png, "image/png"],
      [await picture("gif"), "image/gif"],
    ] as const) {
      expect((await post(owner, Buffer.concat([head, archive]), type)).status).toBe(200);
      const shown = await shownTo(owner);
      expect([shown.includes("<script>"), shown.includes("PK\u0003\u0004")]).toEqual([false, false]);
    }
  });

  test("a body of another type, encoded, or none at all is refused before it is looked at", async () => {
    const { owner } = await world(running);
    for (const type of [
      "image/svg+xml",
      "application/json",
      "text/html",
      "image/*",
      "image/tiff",
      "multipart/form-data; boundary=x",
      "",
    ]) {
      const answer = await post(owner, png, type);
      expect([answer.status, answer.body.code], type).toEqual([415, "unsupported_media_type"]);
    }
    const encoded = await owner.call("POST", path, {
      raw: png,
      headers: { "content-type": "image/png", "content-encoding": "gzip" },
    });
    expect(encoded.body.code).toBe("unsupported_media_type");
    const empty = await post(owner, Buffer.alloc(0));
    expect([empty.status, empty.body.errors[0].pointer]).toEqual([400, "/body"]);
    expect((await post(owner, png, "IMAGE/PNG")).status).toBe(200);
  });
});

test("without a picture there is none to see, and removing it is no fault", async () => {
  const { owner } = await world(running);
  expect((await owner.call("GET", `${path}/content`)).status).toBe(404);
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect((await owner.call("GET", "/me")).body).toMatchObject({ has_picture: false, revision: "1" });
  await post(owner, await smallPicture());
  expect((await owner.call("GET", "/me")).body).toMatchObject({ has_picture: true, revision: "2" });
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect((await owner.call("GET", "/me")).body).toMatchObject({ has_picture: false, revision: "3" });
  expect((await owner.call("GET", `${path}/content`)).status).toBe(404);
});

test("setting and removing are recorded once each, in five round-trips at most, and seeing takes two", async () => {
  const { owner } = await world(running);
  const set = await post(owner, await smallPicture(), "image/png", { key: newKey() });
  const seen = await owner.call("GET", `${path}/content`);
  const removed = await owner.call("DELETE", path, { key: newKey() });
  await owner.call("DELETE", path);
  expect([set.trips <= 5, seen.trips <= 2, removed.trips <= 5]).toEqual([true, true, true]);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [owner.userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["account.picture_replaced", "account.picture_removed"]);
});

test("a retry with the same key answers alike and stores nothing more", async () => {
  const { owner } = await world(running);
  const [key, image] = [newKey(), await smallPicture()];
  const first = await post(owner, image, "image/png", { key });
  const stored = objects().length;
  const again = await post(owner, image, "image/png", { key });
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  expect(objects()).toHaveLength(stored);
  const other = await post(owner, await picture("png", 65, 48), "image/png", { key });
  expect([other.status, other.body.code]).toEqual([409, "idempotency_key_conflict"]);
});

test("a new picture is a new object, and the one before is queued to be deleted", async () => {
  const { owner } = await world(running);
  await post(owner, await smallPicture());
  const first = await keyOf(owner);
  // Before it was stored: to look in an hour whether it is used.
  expect(await jobsOf(owner)).toEqual([{ key: first, later: true }]);
  await post(owner, await smallPicture());
  const second = await keyOf(owner);
  expect(second).not.toBe(first);
  expect(await jobsOf(owner)).toEqual([
    { key: first, later: false },
    { key: first, later: true },
    { key: second, later: true },
  ]);
  await owner.call("DELETE", path);
  expect((await jobsOf(owner)).filter(({ later }) => !later)).toEqual([
    { key: first, later: false },
    { key: second, later: false },
  ]);
});

test("of eight at once one stays, and every other is queued to be deleted", async () => {
  const { owner } = await world(running);
  const image = await smallPicture();
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(owner, image)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const jobs = await jobsOf(owner);
  const discarded = jobs.filter(({ later }) => !later).map(({ key }) => key);
  expect(new Set(discarded).size).toBe(7);
  expect(discarded).not.toContain(await keyOf(owner));
  expect((await shownTo(owner)).length).toBeGreaterThan(0);
});

test("a native client sets, sees and removes it; a token does not", async () => {
  const { owner, workspaceId, token } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  const send = { raw: await smallPicture(), headers: { "content-type": "image/png" } };
  expect((await owner.bearer(native, "POST", path, send)).status).toBe(200);
  expect((await owner.bearer(native, "GET", `${path}/content`)).status).toBe(302);
  expect((await owner.bearer(native, "DELETE", path)).status).toBe(204);
  const personal = await token();
  for (const [method, at] of [
    ["POST", path],
    ["DELETE", path],
    ["GET", `${path}/content`],
  ] as const)
    expect((await owner.bearer(personal, method, at, method === "POST" ? send : {})).body.code).toBe(
      "credential_kind_not_allowed",
    );
});

describe("in an S3 service", async () => {
  const s3 = await startS3();
  const remote: TestService = service({ storageUrl: s3.url });
  afterAll(() => s3.close());

  test("it is stored there, and the redirect leads there", async () => {
    const { owner } = await world(remote);
    expect((await post(owner, await smallPicture())).status).toBe(200);
    const location = await locationOf(owner);
    expect(location.startsWith(`${s3.origin}/objects/pictures/${owner.userId}/`)).toBe(true);
    expect(await sharp(await bytesAt(location)).metadata()).toMatchObject({ format: "webp", width: 512 });
    expect((await fetch(location, { method: "DELETE" })).status).toBe(403);
  });

  test("while it is down the answer is 503, and the picture is the one before", async () => {
    const { owner } = await world(remote);
    await post(owner, await smallPicture());
    const before = new URL(await locationOf(owner)).pathname;
    s3.broken = 500;
    const answer = await post(owner, await picture("png", 80, 80));
    s3.broken = null;
    expect([answer.status, answer.body.code]).toEqual([503, "overloaded"]);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(new URL(await locationOf(owner)).pathname).toBe(before);
  });
});

describe("with a worker", () => {
  const own = mkdtempSync(join(tmpdir(), "svc-pictures-"));
  const working: TestService = service({ dataDir: own, roles: ["api", "worker"] });
  afterAll(() => rmSync(own, { recursive: true, force: true }));

  test("a replaced and a removed picture are gone soon, and the one in use stays", async () => {
    const { owner, member } = await world(working);
    const other = await member("member");
    await post(other, await smallPicture());
    await post(owner, await smallPicture());
    const first = await locationOf(owner);
    await post(owner, await smallPicture());
    const second = await locationOf(owner);
    await expect.poll(async () => (await fetch(first)).status).toBe(404);
    expect((await fetch(second)).status).toBe(200);
    // A job may run late or twice: it looks again.
    const jobs = `select enqueue_job('discard_picture', json_build_object('user_id', id, 'key', picture_key)) from users
        where picture_key is not null`;
    await working.sql(jobs);
    await owner.call("DELETE", path);
    await expect.poll(async () => (await fetch(second)).status).toBe(404);
    expect((await shownTo(other)).length).toBeGreaterThan(0);
  });
});
