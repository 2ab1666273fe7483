// Files of a private stream: uploaded as attachments are, seen by nobody but whose they are, given out only when they
// are clean, and gone with the membership.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  announced,
  attach,
  complete,
  newAttachment,
  privateUploads,
  reserve,
  sendFile,
} from "../../../test/attachments.ts";
import { acting } from "../../../test/people.ts";
import { smallPicture } from "../../../test/pictures.ts";
import { newProject, newTask, refusalOf } from "../../../test/work.ts";
import { type Person, service, testConfig, type World, world } from "../../../test/world.ts";
import { attachmentJobs, sweepAttachments } from "../../planning/attachments/jobs.ts";
import { objectKeys } from "../../planning/attachments/store.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { openStorage } from "../../platform/outside/storage.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-private-files-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const running = service({ dataDir });
const storage = openStorage({ ...testConfig, dataDir }, () => running.url);
const text = Buffer.from("Forty of them, in brass.");
const fileAt = ({ workspaceId }: World, id: string, rest = "") =>
  `/workspaces/${workspaceId}/discuss/files/${id}${rest}`;
const upload = (home: World, person: Person = home.owner, bytes: Buffer = text, own = {}) =>
  newAttachment(person, bytes, own, privateUploads(home.workspaceId));
const fetched = async (url: string) => {
  const answer = await fetch(url.replace("localhost", "127.0.0.1"));
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const scanned = (home: World, id: string, state: string) =>
  running.sql("update attachments set scan_state = $2 where id = $1", [id, state], home.workspaceId);
const stored = async ({ workspaceId }: World, id: string) => {
  const found = await storage.get(objectKeys(workspaceId, id).file);
  return found !== undefined;
};

test("a file is reserved, sent, completed, read, saved, shown and deleted by whose it is", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  const picture = await smallPicture();
  const own = { filename: "gears.png", content_type: "image/png" };
  const reserved = await reserve(viewer, picture, own, privateUploads(home.workspaceId));
  expect([reserved.status, reserved.body.capabilities]).toEqual([201, ["upload:complete", "upload:cancel"]]);
  const { id, upload: target } = reserved.body;
  expect((await viewer.call("GET", fileAt(home, id))).body.code).toBe("not_found");
  expect((await sendFile(target, picture)).status).toBe(200);
  const answers = await Promise.all(
    [1, 2, 3].map(() => complete(viewer, id, undefined, privateUploads(home.workspaceId))),
  );
  const [made] = answers as [(typeof answers)[0]];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(made.body).toMatchObject({ id, ...announced(picture, own), scan_state: "not_scanned", has_thumbnail: false });
  expect(made.body.capabilities).toEqual(["file:download", "file:preview", "file:delete"]);
  const read = await viewer.call("GET", fileAt(home, id));
  expect([read.body, read.trips, read.headers.get("cache-control")]).toEqual([made.body, 1, "no-store"]);
  for (const way of ["download", "preview"]) {
    const given = await viewer.call("POST", fileAt(home, id, `/${way}`));
    expect(given.status, given.text).toBe(200);
    expect((await fetched(given.body.url)).bytes.equals(picture)).toBe(true);
  }
  const gone = await viewer.call("DELETE", fileAt(home, id));
  expect([gone.status, gone.trips <= 3]).toEqual([204, true]);
  expect((await viewer.call("GET", fileAt(home, id))).body.code).toBe("not_found");
});

test("a text is saved and has no preview", async () => {
  const home = await world(running);
  const { id } = await upload(home);
  const given = await home.owner.call("POST", fileAt(home, id, "/download"));
  expect((await fetched(given.body.url)).bytes.equals(text)).toBe(true);
  expect(refusalOf(await home.owner.call("POST", fileAt(home, id, "/preview")))).toEqual([409, "preview_unavailable"]);
});

test("what the scanner has not passed is not given out, and what no scanner has seen is, and says so", async () => {
  const home = await world(running);
  const { id } = await upload(home, home.owner, await smallPicture(), { content_type: "image/png" });
  for (const state of ["pending", "infected", "failed"]) {
    await scanned(home, id, state);
    for (const way of ["download", "preview"])
      expect(refusalOf(await home.owner.call("POST", fileAt(home, id, `/${way}`))), state).toEqual([
        409,
        "file_not_clean",
      ]);
    expect((await home.owner.call("GET", fileAt(home, id))).body).toMatchObject({
      scan_state: state,
      capabilities: ["file:delete"],
    });
  }
  for (const state of ["clean", "not_scanned"]) {
    await scanned(home, id, state);
    expect((await home.owner.call("POST", fileAt(home, id, "/download"))).status, state).toBe(200);
  }
});

test("the scanner looks into it as into an attachment: what is clean is given out, and of what is infected nothing is left", async () => {
  const home = await world(running);
  for (const [verdict, status] of [
    ["clean", 200],
    ["infected", 409],
  ] as const) {
    const { id } = await upload(home);
    await scanned(home, id, "pending");
    const jobs = attachmentJobs(running.database, { storage, scan: async () => verdict } as unknown as ExternalSystems);
    await jobs.scan_attachment?.({ workspace_id: home.workspaceId, id }, {} as never);
    expect((await home.owner.call("GET", fileAt(home, id))).body.scan_state).toBe(verdict);
    expect((await home.owner.call("POST", fileAt(home, id, "/download"))).status).toBe(status);
    expect(await stored(home, id)).toBe(verdict === "clean");
  }
});

test("nobody else finds it, it is no attachment, and it cannot be attached", async () => {
  const home = await world(running);
  const { owner } = home;
  const member = await home.member("member");
  const { id } = await upload(home, member);
  for (const person of [owner, (await world(running)).owner])
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/download"],
      ["POST", "/preview"],
    ] as const)
      expect(refusalOf(await person.call(method, fileAt(home, id, rest)))).toEqual([404, "not_found"]);
  for (const person of [owner, member]) {
    expect((await person.call("GET", `/attachments/${id}`)).body.code).toBe("not_found");
    expect((await person.call("POST", `/attachments/${id}/download`)).body.code).toBe("not_found");
    const references = [{ kind: "attachment", id }];
    const path = `/workspaces/${home.workspaceId}/discuss/references/resolve`;
    expect((await person.call("POST", path, { body: { references } })).body.items[0].state).toBe("unavailable");
  }
  const task = await newTask(owner, (await newProject(home)).id);
  expect((await attach(member, `/tasks/${task.id}`, id)).body.code).toBe("invalid_reference");
});

test("it is kept until it is deleted, whatever the sweep finds, and its objects go with the membership", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [kept, deleted] = [await upload(home, member), await upload(home, member)];
  const sweep = () =>
    sweepAttachments(
      {
        query: async (sql, values) => {
          const rows = await running.asOwner(sql, values);
          return { rows: rows as never[], rowCount: rows.length };
        },
      },
      storage,
    );
  await running.sql(
    `update attachments set expires_at = now() - interval '2 days', completed_at = now() - interval '2 days'
      where private`,
    [],
    home.workspaceId,
  );
  await sweep();
  expect((await member.call("GET", fileAt(home, kept.id))).status).toBe(200);
  await member.call("DELETE", fileAt(home, deleted.id));
  await sweep();
  expect([await stored(home, kept.id), await stored(home, deleted.id)]).toEqual([true, false]);
  await acting(running, home).remove(home.owner, member);
  const jobs = attachmentJobs(running.database, { storage } as ExternalSystems);
  const queued = await running.asOwner<{ payload: { id: string } }>(
    "select payload from graphile_worker._private_jobs where payload ->> 'id' = $1 and payload ->> 'workspace_id' = $2",
    [kept.id, home.workspaceId],
  );
  for (const { payload } of queued) await jobs.discard_attachment?.(payload, {} as never);
  expect(await stored(home, kept.id)).toBe(false);
  await sweep();
  expect(await running.sql("select from attachments", [], home.workspaceId)).toEqual([]);
});
