// Editor toolbar: text styles, block types, tables, links and files, other members present, and the save state.
import type { Editor } from "@tiptap/core";
import type { Command } from "@tiptap/pm/state";
import { type ReactNode, useRef } from "react";
import { type Key, t } from "../messages/t.ts";
import { Avatar, Button, focused } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { Popover } from "../ui/overlays/popover.tsx";
import type { SessionState } from "./collaboration/session.ts";
import { around, blocks, hasMark, links, styles, toggles } from "./commands.ts";
import { addColumn, addRow, isInTable, removeColumn, removeRow, removeTable } from "./tables.ts";

export interface Other {
  id: string;
  display_name: string;
}
interface Props {
  editor: Editor;
  told: SessionState;
  others: readonly Other[];
  takes: (files: readonly File[]) => void;
}
const HTTPS = "https://";
const letters: Record<string, ReactNode> = {
  bold: <b>B</b>,
  italic: <i className="font-serif">I</i>,
  underline: <u>U</u>,
  strike: <s>S</s>,
  code: <span className="font-mono text-11">{"</>"}</span>,
  highlight: <span className="rich-mark px-1">H</span>,
};
const inTable: [Key, Command][] = [
  ["edit.addRow", addRow],
  ["edit.addColumn", addColumn],
  ["edit.removeRow", removeRow],
  ["edit.removeColumn", removeColumn],
  ["edit.removeTable", removeTable],
];

export function Toolbar({ editor, told, others, takes }: Props) {
  const file = useRef<HTMLInputElement>(null);
  const { state } = editor;
  const run = (command: Command) => {
    command(editor.state, editor.view.dispatch, editor.view);
    editor.view.focus();
  };
  return (
    <div
      role="toolbar"
      aria-label={t("edit.toolbar")}
      className="sticky top-0 z-2 mb-2 flex flex-wrap items-center gap-0.5 border-b border-line bg-card py-1"
    >
      <Menu
        label={t("edit.kind")}
        className="picker"
        groups={[{ items: blocks.map(({ label, run: command }) => ({ label: t(label), run: () => run(command) })) }]}
      >
        {t(kindOf(editor))}
        <Icon name="down" className="size-3 text-soft" />
      </Menu>
      {styles.map(({ id, label, keys }) => (
        <button
          key={id}
          type="button"
          aria-pressed={hasMark(state, id)}
          aria-label={t(label)}
          title={`${t(label)} (${keys.replace("Mod", "Ctrl").replaceAll("-", " ")})`}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => run(toggles(id))}
          className="icon-btn aria-pressed:bg-hover aria-pressed:text-ink"
        >
          {letters[id]}
        </button>
      ))}
      <Linking editor={editor} run={run} />
      <input
        ref={file}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          takes([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <button
        type="button"
        aria-label={t("edit.file")}
        title={t("edit.file")}
        onClick={() => file.current?.click()}
        className="icon-btn"
      >
        <Icon name="clip" />
      </button>
      {isInTable(state) && (
        <Menu
          label={t("edit.table")}
          className="picker"
          groups={[{ items: inTable.map(([label, command]) => ({ label: t(label), run: () => run(command) })) }]}
        >
          {t("edit.table")}
          <Icon name="down" className="size-3 text-soft" />
        </Menu>
      )}
      <span className="flex-1" />
      {others.map((other) => (
        <span key={other.id} title={other.display_name}>
          <Avatar person={other} size={20} />
          <span className="sr-only">{t("edit.here", { name: other.display_name })}</span>
        </span>
      ))}
      <span
        role="status"
        data-text={told.full ? "full" : told.unsent ? "unsent" : told.state}
        className="px-1 text-12 text-soft"
      >
        {t(wordOf(told))}
      </span>
    </div>
  );
}

function wordOf({ state, unsent, full }: SessionState): Key {
  if (full) return "edit.full";
  if (state === "gone") return "edit.gone";
  if (state === "readonly") return "edit.readonly";
  if (state === "connecting") return unsent ? "edit.kept" : "edit.connecting";
  return unsent ? "edit.saving" : "edit.saved";
}
function kindOf({ state }: Editor): Key {
  const { parent } = state.selection.$from;
  if (parent.type.name === "heading") return `edit.heading${Math.min(3, Number(parent.attrs.level)) as 1 | 2 | 3}`;
  if (parent.type.name === "code_block") return "edit.codeBlock";
  const within = around(state, "task_item", "list_item", "blockquote", "callout", "table");
  const names: Record<string, Key> = {
    task_item: "edit.tasks",
    list_item: "edit.bullets",
    blockquote: "edit.quote",
    callout: "edit.callout.note",
    table: "edit.table",
  };
  return names[within ?? ""] ?? "edit.text";
}

function Linking({ editor, run }: { editor: Editor; run: (command: Command) => void }) {
  const isLink = hasMark(editor.state, "link");
  return (
    <Popover
      button={(props) => (
        <button
          type="button"
          {...props}
          aria-label={t("edit.link")}
          aria-pressed={isLink}
          title={t("edit.link")}
          className="icon-btn aria-pressed:bg-hover aria-pressed:text-ink"
        >
          <Icon name="link" />
        </button>
      )}
    >
      {(close) => (
        <form
          className="flex gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            const typed = String(new FormData(event.currentTarget).get("href") ?? "").trim();
            const href = /^[a-z]+:/i.test(typed) ? typed : HTTPS + typed;
            close();
            if (typed !== "" && /^(?:https?:|mailto:)/i.test(href)) run(links(href));
          }}
        >
          <input ref={focused} name="href" aria-label={t("edit.address")} placeholder={HTTPS} className="field w-56" />
          <Button type="submit" look="first">
            {t("edit.link")}
          </Button>
          {isLink && (
            <Button
              onClick={() => {
                close();
                run(links(null));
              }}
            >
              {t("edit.unlink")}
            </Button>
          )}
        </form>
      )}
    </Popover>
  );
}
