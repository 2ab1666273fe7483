// Session state of the pages: read once, and again after every change that affects it.
import { maybeSignedIn, type Operations, type Problem } from "@svc/client";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { comeBack } from "../store/sign-out.ts";
import { forgetKept } from "./clear-browser-data.ts";
import { svc } from "./svc.ts";

export type Account = Awaited<ReturnType<Operations["getMe"]>>;

export type Session =
  | { state: "unknown" }
  | { state: "out" }
  | { state: "in"; account: Account }
  | { state: "failed"; problem: Problem };

interface Known {
  session: Session;
  /** Reads the session from the service again. */
  refresh: () => Promise<Session>;
  /** Sets the session from the response of an operation. */
  set: (session: Session) => void;
}
const Context = createContext<Known | null>(null);

async function ask(): Promise<Session> {
  if (!maybeSignedIn()) return { state: "out" };
  try {
    return { state: "in", account: await svc.getMe() };
  } catch (error) {
    const problem = error as Problem;
    return problem.code === "authentication_required" ? { state: "out" } : { state: "failed", problem };
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, set] = useState<Session>(() => (maybeSignedIn() ? { state: "unknown" } : { state: "out" }));
  const refresh = useCallback(async () => {
    const found = await ask();
    set(found);
    return found;
  }, []);
  useEffect(() => {
    refresh();
  }, [refresh]);
  const wasOut = useRef(false);
  useEffect(() => {
    if (session.state === "out") wasOut.current = true;
    else if (session.state === "in" && wasOut.current) {
      wasOut.current = false;
      comeBack();
    }
  }, [session.state]);
  const known = useMemo(() => ({ session, refresh, set }), [session, refresh]);
  return <Context value={known}>{children}</Context>;
}

/**
 * Ends the session and deletes the personal data of this browser. A session that has already ended counts as success.
 */
export async function signOut(): Promise<void> {
  try {
    await svc.logout();
  } catch (error) {
    if ((error as Problem).code !== "authentication_required") throw error;
  }
  void forgetKept();
}

export function useSession(): Known {
  return use(Context) as Known;
}
