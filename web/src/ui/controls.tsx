// Basic components of the application: buttons, avatars, keys, skeletons and empty states.
import type { ComponentProps, ReactNode } from "react";
import { useFresh } from "./fresh-picture.ts";
import { Icon, type IconName } from "./icons.tsx";

type Look = "plain" | "first" | "quiet" | "bad";
export function Button({
  look = "plain",
  icon,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { look?: Look; icon?: IconName }) {
  return (
    <button type="button" {...rest} className={`btn btn-${look} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
/** Icon button with an accessible name and a tooltip. */
export function IconButton({
  icon,
  label,
  className = "",
  ...rest
}: ComponentProps<"button"> & { icon: IconName; label: string }) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={`icon-btn ${className}`}>
      <Icon name={icon} />
    </button>
  );
}

const HUES = ["#5151c4", "#04718c", "#1f7a4d", "#856000", "#ad4429", "#b0217c", "#6d4cc4", "#2b66bd"];
export interface Shown {
  id: string;
  display_name: string | null;
  username?: string | null;
  picture_url?: string | null;
}
/** Avatar of a person; an empty circle without one. */
export function Avatar({ person, size = 18 }: { person: Shown | undefined; size?: number }) {
  const box = { width: size, height: size, fontSize: size * 0.45 };
  const src = useFresh(person?.picture_url ?? "");
  if (!person)
    return (
      <span
        aria-hidden="true"
        style={box}
        className="inline-block shrink-0 rounded-full border border-dashed border-edge"
      />
    );
  if (person.picture_url) return <img src={src} alt="" style={box} className="shrink-0 rounded-full object-cover" />;
  const name = person.display_name ?? person.username ?? "?";
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("");
  const hue = HUES[[...person.id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % HUES.length];
  return (
    <span
      aria-hidden="true"
      style={{ ...box, background: hue }}
      className="inline-grid shrink-0 place-items-center rounded-full font-semibold text-white uppercase"
    >
      {initials}
    </span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="rounded border border-line bg-sunken px-1 font-sans text-11 text-soft">{children}</kbd>;
}

/** Placeholder in the shape of the expected content. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div aria-busy="true" className="space-y-1 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <div key={row} className="h-8 rounded-md bg-sunken motion-safe:animate-pulse" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-14 font-medium">{title}</p>
      {children && <div className="text-13 text-balance text-soft">{children}</div>}
    </div>
  );
}

/** Ref callback that focuses an element as soon as it mounts. */
export const focused = (element: HTMLElement | null) => element?.focus();
