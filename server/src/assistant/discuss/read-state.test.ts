// How far somebody has read only advances.
import { expect, test } from "vitest";
import { discussPath, say, talkers } from "../../../test/discuss.ts";
import { service } from "../../../test/world.ts";

const running = service();

test("up to the last message, and never back", async () => {
  const { home, ada, bob } = await talkers(running);
  const read = async (last_read_sequence: number, person = ada) =>
    (await person.call("POST", discussPath(home, "read-state"), { body: { last_read_sequence } })).body;
  expect(await read(3)).toEqual({ last_read_sequence: 0, unread_count: 0 });
  for (const content of ["One", "Two"]) await say(ada, home, content);
  expect(await read(0)).toEqual({ last_read_sequence: 0, unread_count: 2 });
  expect(await read(2)).toEqual({ last_read_sequence: 2, unread_count: 1 });
  expect(await read(1)).toEqual({ last_read_sequence: 2, unread_count: 1 });
  expect(await read(99)).toEqual({ last_read_sequence: 4, unread_count: 0 });
  expect(await read(99, bob)).toEqual({ last_read_sequence: 0, unread_count: 0 });
});
