import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { SocketTurn } from "./socket-turn.ts";

/** Work of three milliseconds a time that notes when it ran. */
function worker(turn: SocketTurn, name: string, times: number, done: string[]): () => void {
  return () => {
    done.push(name);
    turn.charge(3);
    if (--times > 0) turn.later(worker(turn, name, times, done));
  };
}

test("sockets that find the turn spent take the next ones one after the other", async () => {
  const [turn, done] = [new SocketTurn(), [] as string[]];
  for (const name of ["a", "b", "c"]) turn.later(worker(turn, name, 2, done));
  const turns: string[] = [];
  while (done.length < 6) {
    await nextTurn();
    turns.push(done.join(""));
  }
  expect(turns.at(-1)).toBe("abcabc");
  // Two of them never work in the same turn.
  expect(turns.map(({ length }, at) => length - (turns[at - 1]?.length ?? 0)).filter((more) => more > 1)).toEqual([]);
});

test("what takes no time is done in one turn", async () => {
  const [turn, done] = [new SocketTurn(), [] as number[]];
  for (let at = 0; at < 5; at++) turn.later(() => void done.push(at));
  await nextTurn();
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

test("a turn that is spent begins anew with the next one", async () => {
  const turn = new SocketTurn();
  turn.charge(2);
  expect(turn.isSpent).toBe(true);
  await nextTurn();
  expect(turn.isSpent).toBe(false);
});
