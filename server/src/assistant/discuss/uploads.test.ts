// Uploads into a private stream: of at most 20 MiB, apart from those of attachments, and their maker's alone.
import { expect, test } from "vitest";
import { announced, complete, newAttachment, privateUploads, reserve } from "../../../test/attachments.ts";
import { refusalOf } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();
const MIB = 1024 * 1024;
const text = Buffer.from("Forty of them, in brass.");

test("a file has at most 20 MiB", async () => {
  const home = await world(running);
  const uploads = privateUploads(home.workspaceId);
  expect((await reserve(home.owner, text, { size: 20 * MIB }, uploads)).status).toBe(201);
  const larger = await reserve(home.owner, text, { size: 20 * MIB + 1 }, uploads);
  expect(refusalOf(larger)).toEqual([413, "upload_too_large", "/body/size"]);
});

test("a reservation is cancelled, refused once it is completed, and counts for itself up to 50", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const uploads = privateUploads(workspaceId);
  const { id } = (await reserve(owner, text, {}, uploads)).body;
  expect((await complete(owner, id, undefined, uploads)).body.code).toBe("upload_incomplete");
  // An upload of the other kind is not found there.
  expect((await complete(owner, id)).body.code).toBe("not_found");
  expect((await owner.call("DELETE", `/attachment-uploads/${id}`)).body.code).toBe("not_found");
  expect((await owner.call("DELETE", `${uploads}/${id}`)).status).toBe(204);
  expect((await complete(owner, id, undefined, uploads)).body.code).toBe("not_found");
  const file = await newAttachment(owner, text, {}, uploads);
  expect(refusalOf(await owner.call("DELETE", `${uploads}/${file.id}`))).toEqual([409, "upload_completed"]);
  const key = newKey();
  const body = announced(text);
  const [first, again] = [
    await owner.call("POST", uploads, { body, key }),
    await owner.call("POST", uploads, { body, key }),
  ];
  expect(again.body).toEqual(first.body);
  const fill = `insert into attachments (workspace_id, uploaded_by_actor_id, id, filename, content_type, size, sha256,
    private, expires_at)
    select $1, $2, gen_random_uuid(), 'x', 'text/plain', 1, sha256('x'), true, now() + interval '1 hour'
    from generate_series(1, 48)`;
  await running.sql(fill, [workspaceId, owner.actorId], workspaceId);
  const last = await Promise.all([1, 2].map(() => reserve(owner, text, {}, uploads)));
  expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await reserve(owner, text)).status).toBe(201);
});
