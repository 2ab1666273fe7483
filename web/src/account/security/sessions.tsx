// Sessions of the account: end one, or all others at once.

import type { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Alert, Button, Loading, Section } from "../page-elements.tsx";
import { svc } from "../svc.ts";
import { day, Row, useRows } from "./rows.tsx";

export function SessionsSection() {
  const { rows, problem, load, setProblem } = useRows(() => svc.listSessions({ limit: 100 }));
  const [busy, setBusy] = useState(false);
  async function endOthers() {
    if (busy) return;
    setBusy(true);
    await svc.deleteOtherSessions().then(load, (error: Problem) => setProblem(error));
    setBusy(false);
  }
  return (
    <Section title={say("Where you are signed in")}>
      <div>
        {problem && <Alert problem={problem} />}
        {!rows && !problem && <Loading lines={2} />}
        {rows && (
          <ul className="divide-y divide-line rounded-lg border border-line">
            {rows.map((session) => (
              <Row
                key={session.id}
                name={say("the session of {when}", { when: day(session.created_at) })}
                action={say("End")}
                remove={
                  session.current
                    ? null
                    : async () => {
                        await svc.deleteSession({ session_id: session.id });
                        await load();
                      }
                }
              >
                <p className="font-medium">{session.current ? say("This browser") : deviceOf(session.user_agent)}</p>
                <p className="text-sm text-soft">
                  {say("Signed in {when}", { when: day(session.created_at) })}
                  {session.address_prefix && say(" from {place}", { place: session.address_prefix })} ·{" "}
                  {say("last used {when}", { when: day(session.last_used_at) })}
                </p>
              </Row>
            ))}
          </ul>
        )}
        {rows && rows.length > 1 && (
          <Button small className="mt-4" busy={busy} onClick={endOthers}>
            {say("Sign out everywhere else")}
          </Button>
        )}
      </div>
    </Section>
  );
}

/** Guesses the device from the User-Agent, which browsers choose freely. */
function deviceOf(agent: string | null): string {
  if (!agent) return say("Another browser");
  const browser = /Edg|Firefox|Chrome|Safari/.exec(agent)?.[0]?.replace("Edg", "Edge");
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0]?.replace("Mac OS X", "macOS");
  return [browser ?? say("A browser"), system && say("on {system}", { system })].filter(Boolean).join(" ");
}
