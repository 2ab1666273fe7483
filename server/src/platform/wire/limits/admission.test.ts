// Who is let in while there is little room, and for whom a request counts.
import { describe, expect, test } from "vitest";
import type { Presented } from "../credential.ts";
import { newId, newSecret, sha256 } from "../ids.ts";
import { admission, tenants } from "./admission.ts";

describe("room", () => {
  const fill = (room: ReturnType<typeof admission>, tenant: string, unsafe: boolean) => {
    let count = 0;
    while (room.enter(tenant, unsafe)) count++;
    return count;
  };

  test("one tenant alone may read in four fifths of it and write in half", () => {
    expect(fill(admission(300), "a", false)).toBe(240);
    expect(fill(admission(300), "a", true)).toBe(150);
  });

  test("a tenant that writes all it may can still read", () => {
    const room = admission(300);
    fill(room, "a", true);
    expect(room.enter("a", true)).toBe(false);
    expect(room.enter("a", false)).toBe(true);
  });

  test("beside one that takes all it can, every other finds room, and the large one is the first to be refused", () => {
    const room = admission(300);
    fill(room, "large", false);
    for (let other = 0; other < 10; other++) expect(room.enter(`small ${other}`, true)).toBe(true);
    room.leave("large");
    expect(room.enter("large", false)).toBe(false);
    expect(room.enter("small 1", true)).toBe(true);
  });

  test("as requests leave, two that want everything come to hold the same", () => {
    const room = admission(300);
    const held = { a: fill(room, "a", false), b: 0 };
    for (let round = 0; round < 2000; round++) {
      room.leave(held.a > held.b ? "a" : "b");
      held[held.a > held.b ? "a" : "b"]--;
      if (room.enter("b", false)) held.b++;
      if (room.enter("a", false)) held.a++;
    }
    expect(Math.abs(held.a - held.b)).toBeLessThanOrEqual(2);
    expect(room.inFlight()).toBe(held.a + held.b);
  });

  test("a refusal is answered after a second, those of a crowd 8 ms apart, and none after more than ten seconds", () => {
    let time = 10_000;
    const room = admission(1, () => time);
    expect(room.refusalMs()).toBe(1000);
    expect([room.refusalMs(), room.refusalMs()]).toEqual([1008, 1016]);
    time += 2;
    expect(room.refusalMs()).toBe(1022);
    for (let crowd = 0; crowd < 5000; crowd++) room.refusalMs();
    expect(room.refusalMs()).toBe(10_000);
    time += 10_000;
    expect(room.refusalMs()).toBe(1000);
  });

  test("what was left is free again", () => {
    const room = admission(5);
    for (let round = 0; round < 100; round++) {
      expect(room.enter("a", true)).toBe(true);
      room.leave("a");
    }
    expect(room.inFlight()).toBe(0);
  });
});

describe("the tenant of a request", () => {
  const presented = (): Presented => {
    const secret = newSecret("pat");
    return { kind: "personal", secret, hash: sha256(secret) };
  };
  const principal = (workspaceId: string | null) => ({
    membership: workspaceId ? { workspaceId } : null,
    workspaceId: null,
    accountId: "user",
  });

  test("is its network until its credential was accepted once, so that made-up credentials share one", () => {
    const known = tenants();
    expect(known.of(undefined, "192.0.2.1")).toBe("192.0.2.1");
    expect(known.of(presented(), "192.0.2.1")).toBe("192.0.2.1");
  });

  test("is then the Workspace that it was used in last, from wherever it comes", () => {
    const known = tenants();
    const [one, other] = [presented(), presented()];
    const [first, second] = [newId(), newId()];
    known.learn(one, principal(first));
    known.learn(other, principal(first));
    expect([known.of(one, "192.0.2.1"), known.of(other, "192.0.2.2")]).toEqual([first, first]);
    known.learn(one, principal(second));
    expect(known.of(one, "192.0.2.1")).toBe(second);
    known.learn(one, principal(null));
    expect(known.of(one, "192.0.2.1")).toBe("user");
  });
});
