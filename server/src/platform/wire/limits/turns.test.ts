// How many requests begin in one turn of the event loop.
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { beginInTurn, turns } from "./turns.ts";

test("what comes alone begins at once; of a crowd a few begin in each turn, in their order", async () => {
  const inTurn = turns(3);
  const begun: number[] = [];
  const come = (...numbers: number[]) => {
    for (const number of numbers) inTurn(() => begun.push(number));
  };
  come(1);
  expect(begun).toEqual([1]);
  come(2, 3, 4, 5, 6, 7, 8);
  expect(begun).toEqual([1, 2, 3]);
  await turn();
  come(9);
  expect(begun, "who comes later does not pass by").toEqual([1, 2, 3, 4, 5, 6]);
  await turn();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await turn();
  await turn();
  come(10);
  expect(begun.at(-1)).toBe(10);
});

test("of a crowd that asks a server at once a few begin, and whoever asks how it is does not wait for them", async () => {
  const begun: string[] = [];
  const server = createServer(({ url = "" }) => begun.push(url));
  beginInTurn(server, 2);
  for (const url of ["/a", "/b", "/c", "/healthz", "/d", "/livez"]) server.emit("request", { url }, {});
  expect(begun).toEqual(["/a", "/b", "/healthz", "/livez"]);
  await turn();
  expect(begun.slice(4)).toEqual(["/c", "/d"]);
});
