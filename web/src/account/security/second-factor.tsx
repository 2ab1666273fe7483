// Two-factor authentication: set-up with a QR code or by typing the secret, confirmation with a first code, ten
// recovery codes displayed once; renewal and removal require the password.

import { type Operations, Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Field, Form, type FormValues, PasswordField } from "../form.tsx";
import { Alert, Button, Notice, Section } from "../page-elements.tsx";
import { QrCode } from "../qr-code.tsx";
import { type Account, useSession } from "../session.tsx";
import { svc } from "../svc.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Setup = Awaited<ReturnType<Operations["setUpTotp"]>>;
type Step =
  | { at: "rest" }
  | { at: "setup"; setup: Setup }
  | { at: "codes"; codes: string[] }
  | { at: "renew" }
  | { at: "remove" };

const code = (
  <Field
    name="code"
    label={say("Code")}
    inputMode="numeric"
    autoComplete="one-time-code"
    spellCheck={false}
    maxLength={64}
    className="font-mono tracking-widest"
  />
);
const needsCode = ({ code }: FormValues) => (code?.trim() ? null : say("Enter the code."));

export function SecondFactorSection({ account }: { account: Account }) {
  const { refresh } = useSession();
  const [step, setStep] = useState<Step>({ at: "rest" });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const currentPassword = account.has_password && (
    <PasswordField name="current_password" label={say("Your password")} autoComplete="current-password" />
  );
  const needsPassword = ({ current_password }: FormValues) =>
    current_password || !account.has_password ? null : say("Enter your password.");
  const cancel = <Button onClick={() => setStep({ at: "rest" })}>{say("Cancel")}</Button>;

  async function begin() {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    await svc.setUpTotp().then((setup) => setStep({ at: "setup", setup }), setProblem);
    setBusy(false);
  }
  async function confirm({ code = "" }: FormValues) {
    try {
      const { recovery_codes } = await svc.confirmTotp({
        code: code.replace(/\s/g, ""),
      });
      setStep({ at: "codes", codes: recovery_codes });
    } catch (error) {
      // Recovery codes, which the usual message mentions, do not exist yet.
      throw (error as Problem).code === "invalid_code" ? new Problem({ code: "first_code_wrong" }) : error;
    }
    await refresh();
  }
  async function renew({ current_password }: FormValues) {
    const { recovery_codes } = await svc.regenerateRecoveryCodes({
      current_password,
    });
    setStep({ at: "codes", codes: recovery_codes });
  }
  async function remove({ current_password, code = "" }: FormValues) {
    await svc.deleteTotp({ current_password, code: code.replace(/\s/g, "") });
    await refresh();
    setStep({ at: "rest" });
  }

  return (
    <Section title={say("Second factor")} aside={<State on={account.mfa_enabled} />}>
      <div>
        {problem && <Alert problem={problem} />}
        {step.at === "rest" && !account.mfa_enabled && (
          <>
            <p className="mb-4 text-soft">
              {say(
                "With a second factor, your password alone is not enough: a code from an authenticator on your phone is asked for too.",
              )}
            </p>
            <Button small busy={busy} onClick={begin}>
              {say("Set up an authenticator")}
            </Button>
          </>
        )}
        {step.at === "rest" && account.mfa_enabled && (
          <div className="flex flex-wrap gap-3">
            <Button small onClick={() => setStep({ at: "renew" })}>
              {say("New recovery codes")}
            </Button>
            <Button small onClick={() => setStep({ at: "remove" })}>
              {say("Remove the second factor")}
            </Button>
          </div>
        )}
        {step.at === "setup" && (
          <Form
            action={say("Turn it on")}
            working={say("Checking …")}
            label={say("Set up an authenticator")}
            check={(values) => ({ code: needsCode(values) })}
            send={confirm}
            more={cancel}
          >
            <ol className="list-decimal space-y-4 pl-5 marker:text-soft">
              <li>
                {say("Scan this with an authenticator app.")}
                <div className="mt-3">
                  <QrCode text={step.setup.provisioning_uri} label={say("QR code for your authenticator")} />
                </div>
                <p className="mt-3 text-sm text-soft">
                  {say("Cannot scan it? Enter this key:")}{" "}
                  <code className="font-mono break-all text-ink">{step.setup.secret}</code>
                </p>
              </li>
              <li>{say("Enter the six digits that it shows.")}</li>
            </ol>
            {code}
          </Form>
        )}
        {step.at === "codes" && <RecoveryCodes codes={step.codes} done={() => setStep({ at: "rest" })} />}
        {step.at === "renew" && (
          <Form
            action={say("Make new recovery codes")}
            working={say("Making them …")}
            label={say("New recovery codes")}
            check={(values) => ({ current_password: needsPassword(values) })}
            send={renew}
            more={cancel}
          >
            <Notice>{say("The recovery codes that you have now stop working.")}</Notice>
            {currentPassword}
          </Form>
        )}
        {step.at === "remove" && (
          <Form
            action={say("Remove the second factor")}
            working={say("Removing …")}
            label={say("Remove the second factor")}
            check={(values) => ({ current_password: needsPassword(values), code: needsCode(values) })}
            send={remove}
            more={cancel}
          >
            {currentPassword}
            {code}
          </Form>
        )}
      </div>
    </Section>
  );
}

function State({ on }: { on: boolean }) {
  return <span className={`text-sm font-medium ${on ? "text-good" : "text-soft"}`}>{on ? "On" : say("Off")}</span>;
}
