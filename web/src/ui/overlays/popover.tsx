// Native popover beside a button, in the top layer, closed by a click elsewhere or Escape. It opens below the button,
// or above if there is no room.
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from "react";

interface Props {
  /** Renders the button that opens it. */
  button: (
    props: Pick<ComponentProps<"button">, "onClick" | "aria-expanded" | "aria-haspopup" | "ref" | "aria-controls">,
  ) => ReactNode;
  children: (close: () => void) => ReactNode;
  kind?: "listbox" | "menu" | "dialog";
  className?: string;
  /** Opens it programmatically, such as by a shortcut. */
  open?: boolean;
  onClose?: () => void;
}
const GAP = 4;

export function Popover({ button, children, kind = "dialog", className = "", open: asked = false, onClose }: Props) {
  const [open, setOpen] = useState(asked);
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked) setOpen(true);
  }, [asked]);
  useEffect(() => {
    const [shown, beside] = [box.current, anchor.current];
    if (!open || !shown || !beside) return;
    shown.showPopover();
    const { left, top, bottom, width } = beside.getBoundingClientRect();
    const below = innerHeight - bottom > shown.offsetHeight + GAP || top < shown.offsetHeight;
    shown.style.left = `${Math.max(8, Math.min(left, innerWidth - shown.offsetWidth - 8))}px`;
    shown.style.top = `${below ? bottom + GAP : Math.max(8, top - shown.offsetHeight - GAP)}px`;
    shown.style.minWidth = `${Math.min(width, 320)}px`;
    const toggled = (event: Event) => {
      if ((event as ToggleEvent).newState === "closed") setOpen(false);
    };
    shown.addEventListener("toggle", toggled);
    return () => shown.removeEventListener("toggle", toggled);
  }, [open]);
  const close = () => {
    setOpen(false);
    onClose?.();
    anchor.current?.focus();
  };
  return (
    <>
      {button({
        ref: anchor,
        onClick: () => setOpen(!open),
        "aria-expanded": open,
        "aria-haspopup": kind,
        "aria-controls": open ? id : undefined,
      })}
      {open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps keys from the page behind it.
        <div
          ref={box}
          id={id}
          popover="auto"
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Escape") close();
          }}
          className={`fixed inset-auto m-0 max-h-[min(24rem,80dvh)] overflow-y-auto rounded-lg border border-line bg-card p-1 text-13 text-ink shadow-lift ${className}`}
        >
          {children(close)}
        </div>
      )}
    </>
  );
}
