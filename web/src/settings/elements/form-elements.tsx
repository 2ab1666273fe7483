// Shared components of the settings: block, field, row, and a hook that runs a request and reports its progress and
// errors.
import type { Problem } from "@svc/client";
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from "react";
import { t, why } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { Button } from "../../ui/controls.tsx";

/** Ref callback that focuses an element as soon as it mounts. */
export const focused = (element: HTMLElement | null) => element?.focus();

/** True if the person may write here; false until the role is known, like the hook below. */
export const useWrites = () => (useHome()?.role ?? "viewer") !== "viewer";
/** True if the person is an owner or admin. */
export const useManages = () => /^(?:owner|admin)$/.test(useHome()?.role ?? "");

export function Block({
  title,
  lead,
  children,
  aside,
}: {
  title?: string;
  lead?: ReactNode;
  children?: ReactNode;
  aside?: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={title && id} className="mb-8">
      {title && (
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
          <h2 id={id} className="text-14 font-semibold">
            {title}
          </h2>
          {aside}
        </div>
      )}
      {lead && <p className="mb-3 text-soft">{lead}</p>}
      {children}
    </section>
  );
}

/** Runs one request at a time and reports its result. `done` is the success message. */
export function useAct(done = t("settings.saved")) {
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState<string | null>(null);
  const [isDone, setDone] = useState(false);
  async function act<T>(run: () => Promise<T>): Promise<T | undefined> {
    if (busy) return undefined;
    setBusy(true);
    setDone(false);
    try {
      const answer = await run();
      setCode(null);
      setDone(true);
      return answer;
    } catch (error) {
      const { code: said, status } = error as Problem;
      if (said === undefined) throw error;
      setCode(status === 0 ? "unreachable" : said);
      return undefined;
    } finally {
      setBusy(false);
    }
  }
  const said = (
    // An empty status takes no space, not even the gap between its neighbours.
    <span role="status" className="empty:absolute">
      {code !== null ? (
        <span data-refused={code} className="text-bad">
          {t("toast.refused", { why: why(code) })}
        </span>
      ) : (
        isDone && done && <span className="text-good">{done}</span>
      )}
    </span>
  );
  return { act, busy, said, isDone };
}

export type SettingsValues = Record<string, string>;
interface FormProps {
  action: string;
  send: (values: SettingsValues) => Promise<unknown>;
  children: ReactNode;
  label: string;
  disabled?: boolean;
  /** Resets the form after a successful submit. */
  once?: boolean;
  /** Closes the form and discards its input. */
  cancel?: () => void;
}
/** Form that submits its fields together. */
export function SettingsForm({ action, send, children, label, disabled, once, cancel }: FormProps) {
  const { act, busy, said } = useAct();
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.fromEntries(new FormData(form)) as SettingsValues;
    const done = await act(async () => {
      await send(values);
      return true;
    });
    if (done && once) form.reset();
  }
  return (
    <form onSubmit={submit} aria-label={label}>
      <fieldset disabled={disabled} className="space-y-4">
        {children}
        <div className="flex flex-wrap items-center gap-3">
          {!disabled && (
            <Button look="first" type="submit" aria-disabled={busy || undefined}>
              {action}
            </Button>
          )}
          {cancel && <Button onClick={cancel}>{t("ui.cancel")}</Button>}
          {said}
        </div>
      </fieldset>
    </form>
  );
}

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  help?: string;
  /** Validation error. */
  wrong?: string;
}
export function Field({ label, help, wrong, ...input }: FieldProps) {
  const id = useId();
  const said = wrong ?? help;
  return (
    <label className="block">
      <span className="mb-1 block font-medium">{label}</span>
      <input
        {...input}
        ref={(element) => element?.setCustomValidity(wrong ?? "")}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={said && id}
        className={`field w-full ${input.className ?? ""}`}
      />
      {said && (
        <span id={id} className={`mt-1 block text-12 ${wrong ? "text-bad" : "text-soft"}`}>
          {said}
        </span>
      )}
    </label>
  );
}
export function Select({
  label,
  options,
  ...rest
}: ComponentProps<"select"> & { label: string; options: readonly (readonly [value: string, text: string])[] }) {
  return (
    <label className="block">
      <span className="mb-1 block font-medium">{label}</span>
      <select {...rest} className="field w-full">
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
export function Tick({ label, help, ...input }: ComponentProps<"input"> & { label: string; help?: string }) {
  return (
    <label className="flex cursor-pointer items-start gap-2 py-1">
      <input type="checkbox" {...input} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>
        {label}
        {help && <span className="block text-12 text-soft">{help}</span>}
      </span>
    </label>
  );
}

/** List of rows with actions. */
export function Rows({ children, label }: { children: ReactNode; label: string }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {children}
    </ul>
  );
}
/** `below` is expanded content in full width. */
export function Row({ children, tools, below }: { children: ReactNode; tools?: ReactNode; below?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-0 flex-1 basis-40">{children}</div>
      {tools && <div className="flex flex-wrap items-center gap-1">{tools}</div>}
      {below && <div className="w-full">{below}</div>}
    </li>
  );
}

/** Button for an irreversible action: asks for confirmation inline. */
export function Sure({ label, name, run }: { label: string; name: string; run: () => Promise<unknown> }) {
  const [asking, setAsking] = useState(false);
  const { act, busy, said } = useAct();
  if (!asking)
    return (
      <>
        {said}
        <Button look="quiet" aria-label={`${label}: ${name}`} onClick={() => setAsking(true)}>
          {label}
        </Button>
      </>
    );
  return (
    <>
      <Button look="quiet" autoFocus onClick={() => setAsking(false)}>
        {t("ui.cancel")}
      </Button>
      <Button
        look="bad"
        aria-label={`${t("settings.sure", { action: label })}: ${name}`}
        aria-disabled={busy || undefined}
        onClick={() => void act(run).then(() => setAsking(false))}
      >
        {t("settings.sure", { action: label })}
      </Button>
    </>
  );
}

/** Secret displayed once, with a copy button. */
export function Secret({ value, help }: { value: string; help: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div role="status" className="my-3 rounded-lg border border-good bg-good-wash p-3">
      <p className="mb-2">{help}</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 break-all">{value}</code>
        <Button onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>
          {copied ? t("settings.copied") : t("settings.copy")}
        </Button>
      </div>
    </div>
  );
}
export const NotYours = () => <p className="mb-3 rounded-lg bg-sunken p-3 text-soft">{t("settings.notYours")}</p>;
