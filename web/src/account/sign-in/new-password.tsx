// New-password field with a live check of the length rules. Only the service knows whether a password was leaked, and
// reports that after the submit.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { PasswordField } from "../form.tsx";
import { LONGEST, lengthOf, SHORTEST } from "./password-rules.ts";

export function NewPasswordField({ name = "password", label = say("Password") }: { name?: string; label?: string }) {
  const [length, setLength] = useState(0);
  const fits = length >= SHORTEST && length <= LONGEST;
  return (
    <PasswordField
      name={name}
      label={label}
      autoComplete="new-password"
      onChange={(event) => setLength(lengthOf(event.currentTarget.value))}
    >
      <ul>
        <Rule met={fits} missed={length > LONGEST}>
          {SHORTEST} {say("to")} {LONGEST} {say("characters")}
          <span className="tabular-nums">{length > 0 && say(" ({length} so far)", { length })}</span>
        </Rule>
        <Rule>{say("Not one that was ever stolen, and not your address: we check when you send it")}</Rule>
      </ul>
    </PasswordField>
  );
}

function Rule({
  met = false,
  missed = false,
  children,
}: {
  met?: boolean;
  missed?: boolean;
  children: React.ReactNode;
}) {
  return (
    <li className={`flex gap-2 ${met ? "text-good" : missed ? "text-bad" : ""}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" className="mt-0.5 size-4 shrink-0" fill="none" stroke="currentColor">
        {met ? (
          <path d="M3.5 8.5l3 3 6-7" strokeWidth="2" />
        ) : missed ? (
          <path d="M4 4l8 8M12 4l-8 8" strokeWidth="2" />
        ) : (
          <circle cx="8" cy="8" r="2.5" strokeWidth="1.5" />
        )}
      </svg>
      <span>
        {children}
        {met && <span className="sr-only"> {say("(met)")}</span>}
      </span>
    </li>
  );
}
