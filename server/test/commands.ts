// Undoing in tests: what a write was called, taking it back, and comparing what is there with what was.
import { expect } from "vitest";
import type { Answer } from "./answer.ts";
import type { Person } from "./world.ts";

export function commandOf(answer: Answer): string {
  const id = answer.headers.get("x-svc-command-id");
  if (answer.status >= 300 || id === null) throw new Error(`no command: ${answer.status} ${answer.text}`);
  return id;
}
export const undo = (person: Person, id: string, key?: string) =>
  person.call("POST", `/commands/${id}/undo`, key === undefined ? {} : { key });
export const redo = (person: Person, id: string) => person.call("POST", `/commands/${id}/redo`);

/** Of anything on the wire what is not about when and how often it was changed. */
// biome-ignore lint/suspicious/noExplicitAny: any answer.
export const lasting = (value: any): any => {
  if (Array.isArray(value)) return value.map(lasting);
  if (value === null || typeof value !== "object") return value;
  const { revision: _, updated_at: __, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, lasting(part)]));
};

/**
 * Does it, undoes it, redoes it and undoes it again: each time what is read is as it was at that point. The command's
 * id.
 */
export async function thereAndBack(
  person: Person,
  read: () => Promise<unknown>,
  act: () => Promise<Answer>,
): Promise<string> {
  const before = lasting(await read());
  const answer = await act();
  const id = commandOf(answer);
  const after = lasting(await read());
  expect(after).not.toEqual(before);
  for (const [way, there] of [
    [undo, before],
    [redo, after],
    [undo, before],
  ] as const) {
    const back = await way(person, id);
    expect([back.status, back.body.code], back.text).toEqual([200, undefined]);
    expect(back.trips).toBeLessThanOrEqual(5);
    // It offers the way back, which is then gone.
    expect(back.body.undo).toEqual({ possible: true, reason: null, errors: [] });
    expect(lasting(await read())).toEqual(there);
  }
  return id;
}
