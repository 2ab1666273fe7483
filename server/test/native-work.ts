// What members keep for themselves, for tests to stand on: captured, read and shown through the API.
import { expect } from "vitest";
import type { Answer } from "./answer.ts";
import { newKey, type Person, type World } from "./world.ts";

export type Kind = "evidence-collections" | "task-result-sets" | "task-selections" | "task-saved-views";
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
export type NativeAnswer = any;

export const send = (person: Person, { workspaceId }: World, path: string, body: object, key = newKey()) =>
  person.call("POST", `/workspaces/${workspaceId}/${path}`, { body, key });
/** One that is made. */
export async function keep(person: Person, home: World, path: string, body: object): Promise<NativeAnswer> {
  const answer = await send(person, home, path, body);
  expect([answer.status, answer.trips <= 5], answer.text).toEqual([200, true]);
  return answer.body;
}
export const read = (person: Person, { workspaceId }: World, path: string): Promise<Answer> =>
  person.call("GET", `/workspaces/${workspaceId}/${path}`);
/** What it is now, in two round-trips at most. */
export async function hydrate(
  person: Person,
  home: World,
  kind: Kind,
  id: string,
  query = "version=1",
): Promise<NativeAnswer> {
  const answer = await read(person, home, `${kind}/${id}/hydrate?${query}`);
  expect([answer.status, answer.trips <= 2], answer.text).toEqual([200, true]);
  return answer.body;
}
/** The states of a page, in order. */
export const states = async (...asked: Parameters<typeof hydrate>): Promise<string> =>
  (await hydrate(...asked)).items.map(({ state }: NativeAnswer) => state).join(" ");
