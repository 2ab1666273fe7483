// Sign-in page: password, passkey or provider, as far as the service and this browser support them.

import { Problem } from "@svc/client";
import { type RefObject, useEffect, useRef, useState } from "react";
import { say } from "../../messages/t.ts";
import { go, Link, useAddress } from "../../router.tsx";
import { Check, Field, Form, type FormValues, PasswordField } from "../form.tsx";
import { Alert, Button, Loading, Or, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { enter, returnToOf, type SignedIn } from "../sign-in/finish-sign-in.ts";
import { offers } from "../sign-in/offers.ts";
import { autofillOffered, passkeyLogin, passkeysOffered } from "../sign-in/passkey.ts";
import { Providers } from "../sign-in/providers.tsx";
import { withReturnTo } from "../sign-in/return-to.ts";
import { svc } from "../svc.ts";

export function Login() {
  const { session } = useSession();
  if (session.state === "unknown")
    return (
      <Page title={say("Sign in")}>
        <Loading lines={7} />
      </Page>
    );
  return <SignIn />;
}

function SignIn() {
  const { session, set } = useSession();
  const address = useAddress();
  const returnTo = returnToOf(address);
  const entering = (answer: SignedIn, remember: boolean) => enter(answer, { returnTo, remember, set });
  const box = useRef<HTMLDivElement>(null);
  const [tried, setTried] = useState(false);
  const remembers = () => box.current?.querySelector<HTMLInputElement>("[name=remember_me]")?.checked ?? true;
  useAutofill(async () => {
    const account = await passkeyLogin(remembers(), true);
    if (account) entering(account, remembers());
  });

  async function send({ email = "", password = "" }: FormValues) {
    setTried(true);
    const remember = remembers();
    entering(await svc.login({ email: email.trim(), password, remember_me: remember }), remember);
  }

  return (
    <Page title={say("Sign in")}>
      {session.state === "in" && (
        <div className="mb-6 rounded-lg border border-line bg-sunken p-4">
          <p>
            {say("You are signed in as")} <strong className="break-words">{session.account.email}</strong>.
          </p>
          <Button className="mt-3" onClick={() => go(returnTo ?? "/")}>
            {say("Continue")}
          </Button>
        </div>
      )}
      {!tried && address.searchParams.get("error") === "authentication_failed" && (
        <Alert problem={new Problem({ code: "authentication_failed" })} />
      )}
      <div ref={box}>
        <Form
          action={say("Sign in")}
          working={say("Signing in …")}
          label={say("Sign in with a password")}
          check={({ email, password }) => ({
            email: email?.trim() ? null : say("Enter your email address."),
            password: password ? null : say("Enter your password."),
          })}
          send={send}
        >
          <Field
            name="email"
            label={say("Email")}
            type="email"
            inputMode="email"
            autoComplete={passkeysOffered ? "username webauthn" : "username"}
            autoCapitalize="none"
            spellCheck={false}
          />
          <PasswordField name="password" label={say("Password")} autoComplete="current-password" />
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <Check name="remember_me" label={say("Keep me signed in on this device")} defaultChecked />
            <Link to={withReturnTo("/forgot", returnTo)}>{say("Forgot password?")}</Link>
          </div>
        </Form>
        {(passkeysOffered || offers.providers.length > 0) && <Otherwise entering={entering} remembers={remembers} />}
      </div>
      <p className="mt-6 text-center text-soft">
        {say("New here?")} <Link to={withReturnTo("/register", returnTo)}>{say("Create an account")}</Link>
      </p>
    </Page>
  );
}

/**
 * Conditional passkey sign-in through the browser's autofill. Failures stay silent, because the visitor did not request
 * it.
 */
function useAutofill(start: () => Promise<void>) {
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => {
    let gone = false;
    autofillOffered().then((offered) => {
      if (offered && !gone) latest.current().catch(() => {});
    });
    return () => {
      gone = true;
    };
  }, []);
}

interface OtherwiseProps {
  entering: (answer: SignedIn, remember: boolean) => void;
  remembers: () => boolean;
}

function Otherwise({ entering, remembers }: OtherwiseProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const alert: RefObject<HTMLDivElement | null> = useRef(null);
  useEffect(() => {
    if (problem) alert.current?.querySelector<HTMLElement>("[role=alert]")?.focus();
  }, [problem]);
  async function withPasskey() {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const remember = remembers();
      const account = await passkeyLogin(remember);
      if (account) entering(account, remember);
    } catch (error) {
      const { code } = error as Problem;
      setProblem(code === "invalid_credentials" ? new Problem({ code: "passkey_refused" }) : (error as Problem));
    }
    setBusy(false);
  }
  return (
    <div ref={alert}>
      <Or />
      {problem && <Alert problem={problem} />}
      <div className="space-y-3">
        {passkeysOffered && (
          <Button busy={busy} onClick={withPasskey}>
            {busy ? say("Waiting for your passkey …") : say("Sign in with a passkey")}
          </Button>
        )}
        <Providers />
      </div>
    </div>
  );
}
