// Native dialog element, which traps the focus, closes on Escape and makes the page behind it inert.
import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  label: string;
  close: () => void;
  children: ReactNode;
  /** Position: centred, centred and wide, near the top, or at the left side. */
  at?: "middle" | "wide" | "top" | "left";
}
const places = {
  middle: "m-auto w-[calc(100%-2rem)] max-w-lg rounded-xl",
  wide: "m-auto w-[calc(100%-2rem)] max-w-5xl rounded-xl",
  top: "mx-auto mt-[12vh] w-[calc(100%-2rem)] max-w-xl rounded-xl",
  left: "m-0 h-dvh max-h-dvh w-64 rounded-r-xl",
};

export function Dialog({ label, close, children, at = "middle" }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.target === dialog.current && close()}
      className={`${places[at]} border border-line bg-card p-0 text-13 text-ink shadow-lift backdrop:bg-black/30`}
    >
      {children}
    </dialog>
  );
}
