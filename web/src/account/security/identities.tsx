// Linked sign-in providers: link and unlink.

import type { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Alert, Button, Loading, Section } from "../page-elements.tsx";
import { offers, type SignInProvider } from "../sign-in/offers.ts";
import { providerNames } from "../sign-in/providers.tsx";
import { svc } from "../svc.ts";
import { day, Row, useRows } from "./rows.tsx";

const named = (provider: string) => providerNames[provider] ?? provider;

export function IdentitiesSection() {
  const { rows, problem, load, setProblem } = useRows(() => svc.listIdentities());
  const [away, setAway] = useState<string | null>(null);
  const free = offers.providers.filter((provider) => !rows?.some((identity) => identity.provider === provider));
  if (offers.providers.length === 0 && rows?.length === 0) return null;
  async function link(provider: SignInProvider) {
    if (away) return;
    setAway(provider);
    try {
      const asked = { provider, return_to: "/security" };
      location.assign((await svc.linkIdentity(asked)).authorization_url);
    } catch (error) {
      setAway(null);
      setProblem(error as Problem);
    }
  }
  return (
    <Section title={say("Sign in with others")}>
      {problem && <Alert problem={problem} />}
      {!rows && !problem && <Loading lines={2} />}
      {rows && rows.length > 0 && (
        <ul className="mb-4 divide-y divide-line rounded-lg border border-line">
          {rows.map(({ id, provider, email, last_used_at }) => (
            <Row
              key={id}
              name={named(provider)}
              action={say("Remove")}
              remove={async () => {
                await svc.deleteIdentity({ identity_id: id });
                await load();
              }}
            >
              <p className="font-medium">{named(provider)}</p>
              <p className="text-sm break-words text-soft">
                {email && `${email} · `}
                {say("last used")} {day(last_used_at)}
              </p>
            </Row>
          ))}
        </ul>
      )}
      {rows && (
        <div className="flex flex-wrap gap-3">
          {free.map((provider) => (
            <Button key={provider} small busy={away === provider} onClick={() => link(provider)}>
              {say("Link")} {named(provider)}
            </Button>
          ))}
        </div>
      )}
    </Section>
  );
}
