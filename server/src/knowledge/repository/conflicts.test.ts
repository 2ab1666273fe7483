// Conflicts are shown to those who manage all Documents, and to nobody else; a resolution is a side, or a file. What
// each does is proved with a real repository in conflicts.git.test.ts.
import { expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

test("whoever may not list conflicts learns of none, and what is no resolution changes nothing", async () => {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const at = `/workspaces/${workspaceId}/knowledge-repository`;
  await owner.call("PUT", at, { body: { url: "https://git.example.com/a.git" } });
  const id = newId();
  await running.sql(
    `insert into repository_conflicts (workspace_id, id, document_id, kind, path, base)
      values ($1, $2, $3, 'content', 'a.md', 'x')`,
    [workspaceId, id, newId()],
    workspaceId,
  );
  const member = await place.member("member");
  expect((await member.call("GET", `${at}/conflicts`)).status).toBe(403);
  const resolve = (body: object, person = owner) => person.call("POST", `${at}/conflicts/${id}/resolve`, { body });
  expect((await resolve({ choice: "ours" }, member)).status).toBe(404);
  for (const body of [{ choice: "ours" }, { choice: "merged" }, { choice: "base", text: "x" }, { choice: "base" }])
    expect((await resolve(body)).body.code, JSON.stringify(body)).toBe("invalid_resolution");
  expect((await owner.call("GET", `${at}/conflicts`)).body.items).toMatchObject([{ id, state: "open", revision: "1" }]);
});
