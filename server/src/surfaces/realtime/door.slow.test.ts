// The whole cross product of what can be sent to open a socket, against the rules of the specification.
import { expect, test } from "vitest";
import { cases, doorway } from "../../../test/realtime-door.ts";
import { service } from "../../../test/world.ts";

// Thousands come at once here.
const running = service({}, { realtime: { limits: { opened_per_second: 100_000 } } });
const { answersTo } = doorway(running);

test("all 2,880 ways to ask are answered as the specification says", async () => {
  expect(cases).toHaveLength(2880);
  const { wrong, counts } = await answersTo(cases);
  expect(wrong.slice(0, 10), `${wrong.length} are wrong`).toEqual([]);
  expect(counts[101]).toBe(2 * 2 + 3 + 2);
});
