// Menu button with groups of commands and arrow-key navigation.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Icon, type IconName } from "../icons.tsx";
import { Popover } from "./popover.tsx";

export interface MenuItem {
  label: string;
  run: () => void;
  icon?: IconName;
  /** Checked state of a radio item. */
  checked?: boolean;
}
export interface MenuGroup {
  title?: string;
  items: readonly MenuItem[];
}
interface Props {
  label: string;
  groups: readonly MenuGroup[];
  className?: string;
  /** True for an icon button, which needs the label as its accessible name. */
  isPicture?: true;
  children: ReactNode;
}

export function Menu({ label, groups, className = "", isPicture, children }: Props) {
  return (
    <Popover
      kind="menu"
      button={(props) => (
        <button type="button" {...props} aria-label={isPicture && label} title={label} className={className}>
          {children}
        </button>
      )}
    >
      {(close) => <Items label={label} groups={groups} close={close} />}
    </Popover>
  );
}

function Items({ label, groups, close }: { label: string; groups: readonly MenuGroup[]; close: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  useEffect(() => box.current?.querySelector<HTMLElement>("button")?.focus(), []);
  function pressed(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  }
  return (
    <div ref={box} role="menu" aria-label={label} onKeyDown={pressed} className="min-w-56">
      {groups.map(({ title, items }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups do not move.
        // biome-ignore lint/a11y/useSemanticElements: a group of a menu is no fieldset.
        <div key={at} role="group" aria-label={title ?? label} className="border-t border-line py-1 first:border-0">
          {title && <p className="px-2 py-1 text-11 font-medium text-soft">{title}</p>}
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              {...(item.checked === undefined
                ? { role: "menuitem" }
                : { role: "menuitemradio", "aria-checked": item.checked })}
              onClick={() => {
                close();
                item.run();
              }}
              className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left hover:bg-hover focus-visible:bg-hover"
            >
              {item.icon ? <Icon name={item.icon} className="size-4 text-soft" /> : <span className="w-4" />}
              <span className="min-w-0 flex-1 truncate">{item.label}</span>
              {item.checked && <Icon name="check" />}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
