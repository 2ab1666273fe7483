// Picker for one or several options: a text field narrows the list; arrow keys, Enter and the mouse choose. All Task
// properties and the command palette use it.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { Icon } from "../icons.tsx";
import { Popover } from "./popover.tsx";

export interface PickerOption {
  id: string;
  label: string;
  icon?: ReactNode;
  /** Secondary text beside the label. */
  hint?: ReactNode;
  /** Additional search words. */
  words?: string;
}

/**
 * Filters options by the typed words: each must occur in the option; matches at the beginning of a word rank higher.
 */
export function narrowed(options: readonly PickerOption[], typed: string): PickerOption[] {
  const words = fold(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...options];
  return options
    .map((option) => {
      const text = fold(`${option.label} ${option.words ?? ""}`);
      const ranks = words.map((word) =>
        text.startsWith(word) ? 3 : text.includes(` ${word}`) ? 2 : text.includes(word) ? 1 : 0,
      );
      return { option, rank: ranks.includes(0) ? 0 : ranks.reduce((sum: number, rank) => sum + rank, 0) };
    })
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ option }) => option);
}
const fold = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

interface ChoicesProps {
  label: string;
  options: readonly PickerOption[];
  /** Ids of the chosen options. */
  chosen?: readonly string[];
  pick: (id: string) => void;
  typed?: (text: string) => void;
  placeholder?: string;
  most?: number;
}
export function Choices({ label, options, chosen = [], pick, typed: onTyped, placeholder, most = 100 }: ChoicesProps) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const found = narrowed(options, typed).slice(0, most);
  const current = found[Math.min(at, found.length - 1)];
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (current)
      list.current?.querySelector(`[data-option="${CSS.escape(current.id)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [current]);
  function pressed(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter" && current && !event.nativeEvent.isComposing) {
      event.preventDefault();
      pick(current.id);
    }
  }
  return (
    <div className="min-w-52">
      <input
        ref={input}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={current ? `${id}-${current.id}` : undefined}
        value={typed}
        placeholder={placeholder ?? label}
        onChange={(event) => {
          setTyped(event.target.value);
          onTyped?.(event.target.value);
          setAt(0);
        }}
        onKeyDown={pressed}
        className="w-full border-b border-line bg-transparent px-2 pt-1 pb-2 outline-none placeholder:text-soft"
      />
      <div ref={list} id={id} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto pt-1">
        {found.map((option) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field; this is its active descendant.
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
          <div
            key={option.id}
            id={`${id}-${option.id}`}
            data-option={option.id}
            role="option"
            aria-selected={chosen.includes(option.id)}
            onClick={() => pick(option.id)}
            onPointerMove={() => setAt(found.indexOf(option))}
            className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 ${option === current ? "bg-hover" : ""}`}
          >
            {option.icon}
            <span className="min-w-0 flex-1 truncate">{option.label}</span>
            {option.hint && <span className="text-12 text-soft">{option.hint}</span>}
            {chosen.includes(option.id) && <Icon name="check" />}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-2 py-2 text-soft">{t("ui.nothingFound")}</p>}
    </div>
  );
}

interface PickerProps extends Omit<ChoicesProps, "options"> {
  /** Computed when the picker opens if it is a function: for buttons that appear in every row. */
  options: readonly PickerOption[] | (() => readonly PickerOption[]);
  /** Content of the button, and its value as text if the content is an icon. */
  children: ReactNode;
  value?: string;
  /** Multiple choice: stays open after each. */
  many?: boolean;
  className?: string;
  disabled?: boolean;
  open?: boolean;
  onClose?: () => void;
}
export function Picker({
  label,
  value,
  children,
  pick,
  many,
  className = "",
  disabled,
  open,
  onClose,
  options,
  ...choices
}: PickerProps) {
  return (
    <Popover
      kind="listbox"
      open={open}
      onClose={onClose}
      button={(props) => (
        <button
          type="button"
          {...props}
          disabled={disabled}
          aria-label={value ? `${label}: ${value}` : label}
          title={value ? `${label}: ${value}` : label}
          onClick={(event) => {
            event.stopPropagation();
            props.onClick?.(event);
          }}
          className={`picker ${className}`}
        >
          {children}
        </button>
      )}
    >
      {(close) => (
        <Choices
          {...choices}
          options={typeof options === "function" ? options() : options}
          label={label}
          pick={(id) => {
            pick(id);
            if (!many) close();
          }}
        />
      )}
    </Popover>
  );
}
