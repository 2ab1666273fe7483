// Shared components of the account pages: page frame, alerts, buttons, and a delayed loading indicator.

import type { Problem } from "@svc/client";
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { say } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { inTime, messageOf } from "./problem-messages.ts";

function Mark() {
  return (
    <svg viewBox="0 0 16 16" className="size-7" aria-hidden="true">
      <rect width="16" height="16" rx="4" className="fill-accent" />
      <path d="M4 8.5l2.5 2.5L12 5.5" fill="none" className="stroke-on-accent" strokeWidth="2" />
    </svg>
  );
}

/** Page frame. The heading receives the focus after navigation, so that a screen reader starts there. */
export function Page({
  title,
  lead,
  wide,
  children,
}: {
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · svc`;
    if (!document.activeElement?.closest("main")) heading.current?.focus();
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-8 sm:py-14">
      <header className="mb-6">
        <Link to="/" className="flex items-center gap-2.5 rounded text-xl font-semibold tracking-tight">
          <Mark />
          svc
        </Link>
      </header>
      <main
        className={`w-full ${wide ? "max-w-2xl" : "max-w-md"} rounded-2xl border border-line bg-card p-5 shadow-xs sm:p-8`}
      >
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight text-balance break-words">
          {title}
        </h1>
        {lead && <p className="mt-2 text-soft">{lead}</p>}
        <div className="mt-6">{children}</div>
      </main>
      <Footer />
    </div>
  );
}

function Footer() {
  return (
    <footer className="mt-auto flex flex-wrap justify-center gap-x-5 gap-y-1 pt-6 text-sm text-soft">
      <span>{location.host}</span>
      <a className="link" href="/docs">
        {say("Reference")}
      </a>
      <a className="link" href="/problems">
        {say("Errors")}
      </a>
    </footer>
  );
}

type Tone = "bad" | "good" | "note";
const tones: Record<Tone, string> = {
  bad: "border-bad bg-bad-wash",
  good: "border-good bg-good-wash",
  note: "border-accent bg-note-wash",
};

export function Notice({ tone = "note", title, children }: { tone?: Tone; title?: string; children?: ReactNode }) {
  return (
    <div className={`rounded-lg border-l-4 px-4 py-3 ${tones[tone]}`}>
      {title && <p className="font-semibold">{title}</p>}
      {children && <div className={title ? "mt-1" : ""}>{children}</div>}
    </div>
  );
}

/** Error alert: announced by screen readers, and focused by its form. */
export function Alert({ problem }: { problem: Problem }) {
  const { title, text, next } = messageOf(problem.code);
  const address = useAddress();
  const back = next?.to === "/login" && address.pathname !== "/login" ? address.pathname + address.search : null;
  return (
    <div role="alert" tabIndex={-1} data-code={problem.code} className="mb-5">
      <Notice tone="bad" title={title}>
        <p>
          {text} {problem.retryAfter !== null && <Wait key={problem.retryAfter} seconds={problem.retryAfter} />}
        </p>
        {next && next.to !== address.pathname && (
          <p className="mt-1">
            <Link to={back ? `/login?return_to=${encodeURIComponent(back)}` : next.to}>{next.label}</Link>
          </p>
        )}
        {problem.code === "internal" && problem.correlationId && (
          <p className="mt-1 text-sm break-all text-soft">
            {say("If you ask for help, quote")} {problem.correlationId}.
          </p>
        )}
      </Notice>
    </div>
  );
}

/** Visible countdown; screen readers announce the time once. */
function Wait({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <span className="sr-only">{say("Please try again {when}.", { when: inTime(seconds) })}</span>
      <span aria-hidden="true" className="tabular-nums">
        {left > 0 ? say("Please try again {when}.", { when: inTime(left) }) : say("You can try again now.")}
      </span>
    </>
  );
}

export function Button({
  first,
  small,
  busy,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { first?: boolean; small?: boolean; busy?: boolean }) {
  const look = `button ${first ? "button-first" : "button-plain"} ${small ? "button-small" : ""} ${className}`;
  // Busy buttons stay enabled: a disabled button would lose the focus, and with it the position of keyboard and
  // screen-reader users.
  return (
    <button type="button" {...rest} className={look} aria-disabled={busy || undefined} aria-busy={busy || undefined}>
      {busy && <Spinner />}
      {children}
    </button>
  );
}

const Spinner = () => (
  <svg viewBox="0 0 16 16" className="size-4 shrink-0 motion-safe:animate-spin" aria-hidden="true">
    <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" opacity=".3" />
    <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
  </svg>
);

export const Or = () => (
  <p className="my-5 flex items-center gap-3 text-sm text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
    {say("or")}
  </p>
);

/** Placeholder that reserves the space, and shows a text only after 400 ms. */
export function Loading({ lines = 4 }: { lines?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" className="text-soft" style={{ minHeight: `${lines * 3}rem` }}>
      {late && <p role="status">{say("One moment …")}</p>}
    </div>
  );
}

export function Section({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-t border-line py-6 first:border-0 first:pt-0 last:pb-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="section-title">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
