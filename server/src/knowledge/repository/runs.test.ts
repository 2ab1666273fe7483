// Runs are asked for where something is connected, and many who ask are answered with one.
import { expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";

const running = service();

test("without an active connection none begins, and many who ask at once are answered with the same one", async () => {
  const { owner, workspaceId } = await world(running);
  const at = `/workspaces/${workspaceId}/knowledge-repository`;
  const ask = (kind: string) => owner.call("POST", `${at}/${kind}`, kind === "sync" ? { body: {} } : {});
  for (const kind of ["sync", "import"]) expect((await ask(kind)).body.code).toBe("repository_inactive");
  await owner.call("PUT", at, { body: { url: "https://git.example.com/a.git" } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask("sync")));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const { items } = (await owner.call("GET", `${at}/runs`)).body;
  expect(items).toMatchObject([{ kind: "sync", state: "queued", requested_by_actor_id: owner.actorId }]);
});
