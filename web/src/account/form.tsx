// Form that submits once, shows each validation error beside its field, and focuses it. Fields are uncontrolled: values
// are read on submit and stored nowhere else.

import { Problem } from "@svc/client";
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { say } from "../messages/t.ts";
import { Alert, Button } from "./page-elements.tsx";
import { type FieldErrors, NO_ADDRESS, place } from "./problem-messages.ts";

export type FormValues = Record<string, string>;
const Faults = createContext<Record<string, string>>({});
const NONE: FieldErrors = { fields: {}, rest: null };

/** Selector of the first field to type into, which receives the focus on mount. */
const FIRST = "input:not([type=hidden], [type=checkbox], [tabindex='-1'])";

interface FormProps {
  /** Labels of the submit button, idle and busy. */
  action: string;
  working: string;
  /** Client-side validation: errors by field. */
  check?: (values: FormValues) => Record<string, string | null>;
  send: (values: FormValues) => Promise<void>;
  children: ReactNode;
  /** Content beside the submit button. */
  more?: ReactNode;
  /** Accessible name of the form. */
  label?: string;
}

export function Form({ action, working, check, send, children, more, label }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const sending = useRef(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<FieldErrors>(NONE);
  useEffect(() => form.current?.querySelector<HTMLElement>(FIRST)?.focus(), []);
  useEffect(() => {
    if (wrong === NONE) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]")?.focus();
  }, [wrong]);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (sending.current || !form.current) return;
    const values = Object.fromEntries(new FormData(form.current)) as FormValues;
    const faults = Object.entries(check?.(values) ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    if (faults.length > 0) return setWrong({ fields: Object.fromEntries(faults), rest: null });
    sending.current = true;
    setBusy(true);
    try {
      await send(values);
      setWrong(NONE);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setWrong(place(error, Object.keys(values)));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate aria-label={label}>
      {wrong.rest && <Alert problem={wrong.rest} />}
      <Faults value={wrong.fields}>
        <div className="space-y-5">{children}</div>
      </Faults>
      <div className="mt-6 space-y-3">
        <Button first type="submit" busy={busy}>
          {busy ? working : action}
        </Button>
        {more}
      </div>
    </form>
  );
}

export const emailFault = (email = "") => (/^[^\s@]+@[^\s@]+$/.test(email.trim()) ? null : say(NO_ADDRESS));

interface FieldProps extends Omit<ComponentProps<"input">, "children"> {
  name: string;
  label: string;
  hint?: ReactNode;
  /** Content at the end of the input, inside its frame. */
  end?: ReactNode;
  /** Content under the field, referenced by aria-describedby. */
  children?: ReactNode;
}

export function Field({ name, label, hint, end, children, className = "", ...input }: FieldProps) {
  const id = useId();
  const fault = use(Faults)[name];
  const described = [fault && `${id}-fault`, hint && `${id}-hint`, children && `${id}-more`].filter(Boolean).join(" ");
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block w-fit font-medium">
        {label}
      </label>
      <div className="relative">
        <input
          {...input}
          id={id}
          name={name}
          className={`input ${end ? "pr-20" : ""} ${className}`}
          aria-invalid={fault ? true : undefined}
          aria-describedby={described || undefined}
        />
        {end}
      </div>
      {fault && (
        <p id={`${id}-fault`} role="alert" className="mt-1.5 font-medium text-bad">
          {fault}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-soft">
          {hint}
        </p>
      )}
      {children && (
        <div id={`${id}-more`} className="mt-1.5 text-sm text-soft">
          {children}
        </div>
      )}
    </div>
  );
}

export function Check({ name, label, defaultChecked }: { name: string; label: string; defaultChecked?: boolean }) {
  return (
    <label className="flex w-fit cursor-pointer items-center gap-2.5 py-1">
      <input type="checkbox" name={name} defaultChecked={defaultChecked} className="size-5 shrink-0 accent-accent" />
      {label}
    </label>
  );
}

/** Password field with a button that reveals the text. */
export function PasswordField({ name, label, autoComplete, ...rest }: Omit<FieldProps, "end" | "type">) {
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...rest}
      name={name}
      label={label}
      type={shown ? "text" : "password"}
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <button
          type="button"
          aria-pressed={shown}
          aria-label={say("Show {what}", { what: label.toLowerCase() })}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-1 right-1 min-w-16 cursor-pointer rounded px-2 text-sm font-medium text-accent"
        >
          {shown ? say("Hide") : say("Show")}
        </button>
      }
    />
  );
}
