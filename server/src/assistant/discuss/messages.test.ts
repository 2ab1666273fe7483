// Messages are listed, found, read and stopped.
import { expect, test } from "vitest";
import { discussPath, readMessage, say, talkers } from "../../../test/discuss.ts";
import { service } from "../../../test/world.ts";

const running = service();

test("are paged in both orders, and found by their words", async () => {
  const { home, ada } = await talkers(running);
  for (const content of ["Brass gears", "Steel gears", "Brass springs"]) await say(ada, home, content);
  const list = async (query: string) => (await ada.call("GET", discussPath(home, `messages${query}`))).body;
  const page = await list("?limit=4");
  expect(page.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([6, 5, 4, 3]);
  const rest = await list(`?limit=4&cursor=${encodeURIComponent(page.next_cursor)}`);
  expect([rest.items.length, rest.has_more]).toEqual([2, false]);
  expect((await list("?order=asc&limit=1")).items[0].content).toBe("Brass gears");
  const found = async (q: string, more = "") =>
    (await list(`/search?q=${encodeURIComponent(q)}${more}`)).items.map(({ content }: { content: string }) => content);
  expect(await found("BRASS")).toEqual(["Brass springs", "Brass gears"]);
  expect(await found("gears brass")).toEqual(["Brass gears"]);
  for (const other of ["copper", "%", "br_ss", "\\\\"]) expect(await found(other), other).toEqual([]);
  const first = await list("/search?q=brass&limit=1");
  expect([first.items[0].content, first.has_more]).toEqual(["Brass springs", true]);
  expect(await found("brass", `&limit=1&cursor=${encodeURIComponent(first.next_cursor)}`)).toEqual(["Brass gears"]);
});

test("of which one waits for its answer are stopped at once, and again changes nothing", async () => {
  const { home, ada } = await talkers(running);
  const { assistant_message: message, user_message: user } = await say(ada, home, "Never mind");
  expect((await readMessage(ada, home, message.id)).capabilities).toEqual(["discuss_message:cancel"]);
  const cancel = (id: string) => ada.call("POST", discussPath(home, `messages/${id}/cancel`));
  const stopped = await cancel(message.id);
  expect(stopped.body).toMatchObject({
    generation_state: "failed",
    generation_error: { code: "cancelled" },
    revision: "2",
    capabilities: [],
  });
  expect((await cancel(message.id)).body.revision).toBe("2");
  expect((await cancel(user.id)).body).toMatchObject({ revision: "1", role: "user" });
});

test("need the scope of Discuss from a token", async () => {
  const { home, ada } = await talkers(running);
  await say(ada, home, "Hello");
  const path = discussPath(home, "messages");
  expect((await ada.bearer(await home.token(["svc:discuss"]), "GET", path)).body.items).toHaveLength(2);
  expect((await ada.bearer(await home.token(["svc:read", "svc:write"]), "GET", path)).body.code).toBe(
    "insufficient_scope",
  );
});
