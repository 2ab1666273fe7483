// Command palette: finds pages, Projects, Tasks and commands by text or code. Recently used entries come first.
import "../messages/later/settings.ts";
import { useMemo, useState } from "react";
import { type Key, t } from "../messages/t.ts";
import { go } from "../router.tsx";
import { resultPath } from "../search/result.tsx";
import { useFound } from "../search/use-search.ts";
import type { Home } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import { duplicate, moveTo, otherProjects } from "../tasks/move-task.ts";
import { openTask, projectPath, restOf, within } from "../ui/address.ts";
import { talk } from "../ui/conversation-state.ts";
import { Icon, StatusIcon } from "../ui/icons.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Choices, type PickerOption } from "../ui/overlays/picker.tsx";
import { showTheme, type Theme } from "../ui/theme.ts";
import { useSignOut } from "./sidebar/switcher.tsx";

interface Props {
  close: () => void;
  open: (what: "help" | "new") => void;
}
type Command = PickerOption & { run: () => void };
const sections = [
  ...["profile", "notifications", "security", "tokens", "general", "members", "projects", "workflow", "lifecycle"],
  ...["labels", "ai", "time"],
];
const RECENT = "palette:recent";
/** Tasks are numerous, so the palette searches them only from this length of input on. */
const FEWEST_LETTERS = 2;
const MOST_FOUND = 8;

/** Commands for the open Task. */
function taskCommands(replica: Replica, command: Make): Command[] {
  const { searchParams, pathname } = new URL(location.href);
  const code = /^tasks\/([^/]+)$/.exec(restOf(pathname))?.[1];
  const open = searchParams.get("task");
  const task = open
    ? replica.store.get("task", open)
    : [...replica.store.all("task")].find((each) => each.code === code);
  if (!task?.code || task.trashed_at || replica.store.fact<Home>("home")?.role === "viewer") return [];
  const { id } = task;
  return [
    command("duplicate", t("palette.duplicate", { code: task.code }), "plus", () => {
      const made = duplicate(replica, id);
      if (made) openTask(made);
    }),
    ...otherProjects(replica, task).map((project) => ({
      ...command(`move:${project.id}`, t("palette.move", { code: task.code, name: project.name }), "right", () => {
        moveTo(replica, id, project.id);
        if (!open) go(`${projectPath(project.key)}?task=${id}`);
      }),
      words: project.key,
    })),
  ];
}
type Make = (id: string, label: string, icon: Parameters<typeof Icon>[0]["name"], run: () => void) => Command;

export default function Palette({ close, open }: Props) {
  const { replica, store, undo, redo } = useCommands();
  const [typed, setTyped] = useState("");
  const leave = useSignOut();
  const commands = useMemo((): Command[] => {
    const command: Make = (id, label, icon, run) => ({
      id,
      label,
      run,
      icon: <Icon name={icon} className="size-4 text-soft" />,
    });
    const living = [...store.all("project")].filter(({ archived_at }) => !archived_at);
    const projects = living.flatMap((project) => [
      {
        ...command(`p:${project.id}`, project.name, "board", () => go(projectPath(project.key))),
        words: project.key,
        hint: project.key,
      },
      {
        ...command(`l:${project.id}`, `${project.name}: ${t("view.list")}`, "list", () =>
          go(projectPath(project.key, "list")),
        ),
        words: project.key,
      },
      {
        ...command(`s:${project.id}`, `${project.name}: ${t("view.settings")}`, "settings", () =>
          go(projectPath(project.key, "settings")),
        ),
        words: project.key,
      },
    ]);
    const themes = (["system", "light", "dark"] as Theme[]).map((each) =>
      command(`theme:${each}`, `${t("shell.theme")}: ${t(`shell.theme.${each}`)}`, "settings", () => showTheme(each)),
    );
    return [
      ...taskCommands(replica, command),
      command("new", t("shell.newTask"), "plus", () => open("new")),
      command("home", t("shell.home"), "home", () => go(within(""))),
      command("inbox", t("shell.inbox"), "inbox", () => go(within("inbox"))),
      command("search", t("shell.searchPage"), "search", () => go(within("search"))),
      command("agents", t("shell.agents"), "agent", () => go(within("agents"))),
      command("talk", t("shell.talk"), "comment", () => talk()),
      command("time", t("shell.time"), "clock", () => go(within("time"))),
      command("activity", t("shell.activity"), "pulse", () => go(within("activity"))),
      command("documents", t("doc.documents"), "document", () => go(within("documents"))),
      ...projects,
      command("undo", t("toast.undo"), "undo", undo),
      command("redo", t("toast.redo"), "undo", redo),
      command("project", t("shell.newProject"), "plus", () => go(within("start"))),
      command("keys", t("shell.keys"), "settings", () => open("help")),
      ...themes,
      ...sections.map((each) =>
        command(`settings:${each}`, `${t("settings.title")}: ${t(`settings.${each}` as Key)}`, "settings", () =>
          go(within(`settings/${each === "general" ? "workspace" : each}`)),
        ),
      ),
      command("changes", t("shell.changes"), "review", () => go(within("changes"))),
      command("receipts", t("receipt.title"), "undo", () => go(within("receipts"))),
      command("account", t("shell.account"), "person", () => go("/account")),
      command("leave", t("shell.signOut"), "close", () => void leave()),
    ];
  }, [replica, store, undo, redo, open, leave]);
  const tasks = useMemo((): Command[] => {
    if (typed.length < FEWEST_LETTERS) return [];
    return [...store.all("task")].map((task) => {
      const status = store.get("status", task.status_id);
      return {
        id: `t:${task.id}`,
        label: task.title,
        words: task.code,
        hint: task.code,
        run: () => openTask(task.id),
        icon: <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />,
      };
    });
  }, [store, typed.length]);
  // The service searches for rows that the store does not hold.
  const { items = [] } = useFound(typed.length < FEWEST_LETTERS ? "" : typed, null, MOST_FOUND);
  const known = new Set(tasks.map(({ id }) => id));
  const found = items
    .filter((result) => result.kind !== "task" || !known.has(`t:${result.id}`))
    .map(
      (result): Command => ({
        id: `f:${result.kind}:${result.id}`,
        label: result.title,
        hint: result.code ?? t(`search.${result.kind}`),
        // The service matched these words, whether or not the title contains them.
        words: `${result.code ?? ""} ${typed}`,
        icon: <Icon name={result.kind === "comment" ? "comment" : "list"} className="size-4 text-soft" />,
        run: () => go(resultPath(result)),
      }),
    );
  const everywhere: Command[] =
    typed.trim() === ""
      ? []
      : [
          {
            id: "everywhere",
            label: t("search.everywhere", { q: typed.trim() }),
            icon: <Icon name="search" className="size-4 text-soft" />,
            run: () => go(`${within("search")}?q=${encodeURIComponent(typed.trim())}`),
          },
          {
            id: "ask",
            label: t("shell.ask", { q: typed.trim() }),
            icon: <Icon name="comment" className="size-4 text-soft" />,
            run: () => talk(typed.trim()),
          },
        ];
  const [recent] = useState<string[]>(() => JSON.parse(localStorage.getItem(RECENT) ?? "[]"));
  const rank = (id: string) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  const all = [...commands].sort((one, other) => rank(one.id) - rank(other.id)).concat(tasks, found, everywhere);
  return (
    <Dialog label={t("palette.title")} at="top" close={close}>
      <div className="p-2">
        <Choices
          label={t("palette.title")}
          placeholder={t("palette.placeholder")}
          options={all}
          typed={setTyped}
          most={50}
          pick={(id) => {
            localStorage.setItem(RECENT, JSON.stringify([id, ...recent.filter((each) => each !== id)].slice(0, 8)));
            close();
            all.find((each) => each.id === id)?.run();
          }}
        />
      </div>
    </Dialog>
  );
}

function useCommands() {
  const replica = useReplica();
  return useMemo(
    () => ({ replica, store: replica.store, undo: () => replica.undo(), redo: () => replica.redo() }),
    [replica],
  );
}
