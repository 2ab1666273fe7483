// Dialog in which the person proves their identity again: password, code, passkey or provider, as far as the account
// has them. The page below keeps its input, and its request is sent again after the dialog closes.

import { type Operations, Problem } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { say } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { Field, Form, PasswordField } from "./form.tsx";
import { Alert, Button, Loading, Or } from "./page-elements.tsx";
import { confirmations } from "./pages/confirmation.tsx";
import { useSession } from "./session.tsx";
import { passkeyProof, passkeysOffered } from "./sign-in/passkey.ts";
import { providerNames } from "./sign-in/providers.tsx";
import { svc } from "./svc.ts";

type Ways = Awaited<ReturnType<Operations["createReauthenticationOptions"]>>;

export default function ProofDialog({ close }: { close: (proved: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [ways, setWays] = useState<Ways | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    // Restores the focus on unmount: the browser restores it only if it closes the dialog itself.
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    svc.createReauthenticationOptions().then(setWays, setProblem);
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="proof-title"
      onCancel={() => close(false)}
      className="m-auto w-[calc(100%-2rem)] max-w-md rounded-2xl border border-line bg-card p-5 text-ink shadow-xl backdrop:bg-black/50 sm:p-8"
    >
      <h2 id="proof-title" className="text-xl font-semibold tracking-tight">
        {say("Please confirm that it is you")}
      </h2>
      <p className="mt-2 mb-6 text-soft">{say("You signed in a while ago. Nothing that you entered is lost.")}</p>
      {problem && <Alert problem={problem} />}
      {!ways && !problem && <Loading lines={4} />}
      {ways && <Proofs ways={ways} done={() => close(true)} setProblem={setProblem} />}
      <Button className="mt-3" onClick={() => close(false)}>
        {say("Cancel")}
      </Button>
    </dialog>
  );
}

interface ProofsProps {
  ways: Ways;
  done: () => void;
  setProblem: (problem: Problem | null) => void;
}

function Proofs({ ways: { methods, providers }, done, setProblem }: ProofsProps) {
  const typed = methods.includes("password") || methods.includes("code");
  const passkey = methods.includes("passkey") && passkeysOffered;
  const [busy, setBusy] = useState<string | null>(null);
  useConfirmation((confirmed) => {
    setBusy(null);
    if (confirmed) done();
    else setProblem(new Problem({ code: "authentication_failed" }));
  });
  async function attempt(way: string, prove: () => Promise<boolean>) {
    if (busy) return;
    setBusy(way);
    setProblem(null);
    try {
      if (await prove()) return done();
    } catch (error) {
      const { code } = error as Problem;
      setProblem(code === "invalid_credentials" ? new Problem({ code: "passkey_refused" }) : (error as Problem));
    }
    setBusy(null);
  }
  return (
    <>
      {methods.includes("password") && <Password done={done} />}
      {methods.includes("code") && <Code done={done} />}
      {typed && (passkey || providers.length > 0) && <Or />}
      <div className="space-y-3">
        {passkey && (
          <Button busy={busy === "passkey"} onClick={() => attempt("passkey", passkeyProof)}>
            {busy === "passkey" ? say("Waiting for your passkey …") : say("Confirm with a passkey")}
          </Button>
        )}
        {providers.map((provider) => (
          <Button key={provider} onClick={() => leave(provider).catch(setProblem)}>
            {say("Confirm with")} {providerNames[provider] ?? provider}
          </Button>
        ))}
      </div>
      {!typed && !passkey && providers.length === 0 && (
        <p>
          {say("This browser has no way to ask you.")} <Link to="/login">{say("Sign in again")}</Link>.
        </p>
      )}
    </>
  );
}

function Password({ done }: { done: () => void }) {
  const { session } = useSession();
  return (
    <Form
      action={say("Confirm")}
      working={say("Checking …")}
      label={say("Confirm with your password")}
      check={({ current_password }) => ({ current_password: current_password ? null : say("Enter your password.") })}
      send={async ({ current_password }) => {
        await svc.reauthenticate({ password: current_password });
        done();
      }}
    >
      <input
        className="sr-only"
        name="username"
        autoComplete="username"
        value={session.state === "in" ? session.account.email : ""}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <PasswordField name="current_password" label={say("Your password")} autoComplete="current-password" />
    </Form>
  );
}

function Code({ done }: { done: () => void }) {
  return (
    <Form
      action={say("Confirm")}
      working={say("Checking …")}
      label={say("Confirm with a code")}
      check={({ code }) => ({ code: code?.trim() ? null : say("Enter the code.") })}
      send={async ({ code = "" }) => {
        await svc.reauthenticate({ code: code.replace(/\s/g, "") });
        done();
      }}
    >
      <Field
        name="code"
        label={say("Code")}
        hint={say("Of your authenticator, or a recovery code.")}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        className="font-mono tracking-widest"
      />
    </Form>
  );
}

/**
 * Opens the provider in a popup, created before the request so that the click still permits it; redirects this window
 * if the browser blocks popups.
 */
async function leave(provider: Ways["providers"][number]): Promise<void> {
  const away = window.open("about:blank", "svc-confirmation", "popup,width=480,height=720");
  try {
    const { authorization_url } = await svc.reauthenticateWithProvider({
      provider,
    });
    if (away) away.location.href = authorization_url;
    else location.assign(authorization_url);
  } catch (error) {
    away?.close();
    throw error;
  }
}

function useConfirmation(told: (confirmed: boolean) => void) {
  const latest = useRef(told);
  latest.current = told;
  useEffect(() => {
    const channel = confirmations();
    channel.onmessage = ({ data }) => latest.current(data === "confirmed");
    return () => channel.close();
  }, []);
}
