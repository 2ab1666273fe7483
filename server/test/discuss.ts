// Conversations for tests to stand on.
import { expect } from "vitest";
import type { Answer } from "./answer.ts";
import { eventually } from "./eventually.ts";
import { newKey, type Options, type Person, type TestService, type World, world } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
export type Message = any;
type Home = Pick<World, "workspaceId">;

export const discussPath = ({ workspaceId }: Home, rest: string) => `/workspaces/${workspaceId}/discuss/${rest}`;

/** Says something, and has the turn at once. */
export async function say(person: Person, home: Home, content: string, options: Options = {}): Promise<Message> {
  const sent = await person.call("POST", discussPath(home, "messages"), {
    body: { content },
    key: newKey(),
    ...options,
  });
  expect(sent.status, sent.text).toBe(202);
  return sent.body;
}
export const readMessage = async (person: Person, home: Home, id: string): Promise<Message> =>
  (await person.call("GET", discussPath(home, `messages/${id}`))).body;
const ENDED = ["completed", "failed"];
/** The answer, once it has ended. */
export const ended = (person: Person, home: Home, id: string): Promise<Message> =>
  eventually(async () => {
    const message = await readMessage(person, home, id);
    if (!ENDED.includes(message.generation_state)) throw new Error(`it is ${message.generation_state}`);
    return message;
  });
export async function answerTo(person: Person, home: Home, content: string): Promise<Message> {
  const { assistant_message } = await say(person, home, content);
  return ended(person, home, assistant_message.id);
}
export const partsOf = (message: Message, kind: string): Message[] =>
  message.parts.filter((part: Message) => part.kind === kind);

/** Decides what an answer waits for. */
export function decideOn(
  person: Person,
  home: Home,
  part: Message,
  decision = "approve",
  more: object = {},
): Promise<Answer> {
  const { change_set } = part;
  const review = change_set && { change_set_id: change_set.id, version: change_set.version, digest: change_set.digest };
  return person.call("POST", discussPath(home, `interactions/${part.interaction_id}/decision`), {
    body: { version: part.version, decision, ...(review && { change_set_review: review }), ...more },
  });
}

/** A Workspace in which two people talk. */
export async function talkers(running: TestService) {
  const home = await world(running);
  return { home, ada: home.owner, bob: await home.member("member") };
}
