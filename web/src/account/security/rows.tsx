// List of removable items. A removal asks for confirmation, because it cannot be undone.

import type { Problem } from "@svc/client";
import { type ReactNode, useState } from "react";
import { say } from "../../messages/t.ts";
import { Alert, Button } from "../page-elements.tsx";

/** Reads the items of a list operation, with a function that refreshes them. */
export function useRows<T>(read: () => PromiseLike<{ items: T[] }>) {
  const [rows, setRows] = useState<T[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asked, setAsked] = useState(false);
  const load = () =>
    read().then(({ items }) => {
      setRows(items);
      setProblem(null);
    }, setProblem);
  if (!asked) {
    setAsked(true);
    load();
  }
  return { rows, problem, load, setProblem };
}

interface RowProps {
  children: ReactNode;
  /** Accessible name of the row. */
  name: string;
  action: string;
  remove: (() => Promise<void>) | null;
  more?: ReactNode;
}

export function Row({ children, name, action, remove, more }: RowProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function sure() {
    if (busy || !remove) return;
    setBusy(true);
    await remove().catch((error) => {
      setProblem(error);
      setAsking(false);
    });
    setBusy(false);
  }
  return (
    <li className="px-4 py-3">
      {problem && <Alert problem={problem} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">{children}</div>
        <div className="flex gap-2">
          {!asking && more}
          {remove && !asking && (
            <Button small onClick={() => setAsking(true)} aria-label={`${action} ${name}`}>
              {action}
            </Button>
          )}
          {asking && (
            <>
              <Button small autoFocus onClick={() => setAsking(false)}>
                {say("Keep")}
              </Button>
              <Button small busy={busy} onClick={sure} aria-label={say("{action} {name} for good", { action, name })}>
                {say("{action} for good", { action })}
              </Button>
            </>
          )}
        </div>
      </div>
    </li>
  );
}

export const day = (time: string | null) =>
  time === null ? say("never") : new Date(time).toLocaleDateString([], { dateStyle: "medium" });
