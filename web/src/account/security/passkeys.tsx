// Passkeys of the account: add one on this device, rename, remove.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Field, Form } from "../form.tsx";
import { Alert, Button, Loading, Section } from "../page-elements.tsx";
import { addPasskey, passkeysOffered } from "../sign-in/passkey.ts";
import { svc } from "../svc.ts";
import { day, Row, useRows } from "./rows.tsx";

interface Passkey {
  id: string;
  name: string;
  revision: string;
  created_at: string;
  last_used_at: string | null;
  disabled: boolean;
}

export function PasskeysSection() {
  const { rows, problem, load } = useRows(() => svc.listPasskeys());
  const [naming, setNaming] = useState<"new" | Passkey | null>(null);
  return (
    <Section title={say("Passkeys")}>
      {problem && <Alert problem={problem} />}
      {!rows && !problem && <Loading lines={2} />}
      {rows?.length === 0 && (
        <p className="mb-4 text-soft">
          {say("Sign in with your fingerprint, face or security key instead of a password.")}
        </p>
      )}
      {rows && rows.length > 0 && (
        <ul className="mb-4 divide-y divide-line rounded-lg border border-line">
          {rows.map((passkey) => (
            <Row
              key={passkey.id}
              name={passkey.name}
              action={say("Remove")}
              remove={async () => {
                await svc.deletePasskey({ passkey_id: passkey.id });
                await load();
              }}
              more={
                <Button
                  small
                  onClick={() => setNaming(passkey)}
                  aria-label={say("Rename {name}", { name: passkey.name })}
                >
                  {say("Rename")}
                </Button>
              }
            >
              <p className="font-medium break-words">{passkey.name}</p>
              <p className="text-sm text-soft">
                {passkey.disabled
                  ? say("Switched off for safety: remove it")
                  : say("Last used {when}", { when: day(passkey.last_used_at) })}
              </p>
            </Row>
          ))}
        </ul>
      )}
      {naming ? (
        <Form
          action={naming === "new" ? say("Add passkey") : say("Rename")}
          working={naming === "new" ? say("Waiting for your device …") : say("Renaming …")}
          label={say("Passkey")}
          check={({ name }) => ({ name: name?.trim() ? null : say("Enter a name by which you know it.") })}
          send={async ({ name = "" }) => {
            if (naming !== "new") await svc.updatePasskey({ passkey_id: naming.id, name: name.trim() });
            else if (!(await addPasskey(name.trim()))) return;
            await load();
            setNaming(null);
          }}
          more={<Button onClick={() => setNaming(null)}>{say("Cancel")}</Button>}
        >
          <Field
            key={naming === "new" ? "new" : naming.id}
            name="name"
            label={say("Name")}
            hint={say("For example the device that holds it.")}
            maxLength={100}
            autoComplete="off"
            autoFocus
            defaultValue={naming === "new" ? "" : naming.name}
          />
        </Form>
      ) : passkeysOffered ? (
        <Button small onClick={() => setNaming("new")}>
          {say("Add a passkey")}
        </Button>
      ) : (
        <p className="text-soft">{say("This browser cannot make passkeys.")}</p>
      )}
    </Section>
  );
}
