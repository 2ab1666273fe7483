// A follower who is present: renews, observes others and waits for what it is told of them.
import { type Listener, listenAs } from "./realtime.ts";
import type { Person } from "./world.ts";

export interface Present {
  listener: Listener;
  applied: { subscription_id: string; cursor: string };
}
export async function presentAt(at: { url: string }, person: Person): Promise<Present> {
  const listener = await listenAs(at, person);
  return { listener, applied: await listener.applied() };
}
export const renew = ({ listener, applied }: Present) => listener.send({ type: "presence_renew", ...applied });
export const observe = ({ listener, applied }: Present, people: readonly Pick<Person, "userId">[]) =>
  listener.send({ type: "presence_observe", ...applied, user_ids: people.map(({ userId }) => userId) });
/** The first snapshot that says this of them. */
export const seen = ({ listener }: Present, online: [Person, boolean][]) =>
  listener.next(
    "presence",
    (frame) =>
      JSON.stringify(frame.online) ===
      JSON.stringify(Object.fromEntries(online.map(([{ userId }, on]) => [userId, on]))),
  );
