// Sessions that have stood for a while, and how their owner proves again to be there.
import type { Answer } from "./answer.ts";
import type { Person, TestService } from "./world.ts";
import { asSession } from "./world.ts";

/** All sessions of the account, as if they were made this long ago. */
export const age = (running: TestService, userId: string, ago = "15 minutes") =>
  running.sql(
    `update credentials set authenticated_at = now() - interval '${ago}' where user_id = $1 and kind = 'session'`,
    [userId],
  );

const secretIn = ({ cookies }: Answer) => /^__Host-svc_session=([^;]+)/.exec(cookies[0] ?? "")?.[1] as string;

/** The same person in the same browser, which has kept what the answer has set. */
export function holding<P extends Person>(running: TestService, person: P, answer: Answer): P {
  const session = secretIn(answer);
  return { ...person, session, call: asSession(running, session) };
}
