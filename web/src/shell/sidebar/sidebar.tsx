// Sidebar: Workspaces, the member's own work, shortcuts and Projects. On a small screen it slides in.
import { useMemo } from "react";
import { t, tn } from "../../messages/t.ts";
import { go, Link, useAddress } from "../../router.tsx";
import { type Home, useMayWrite } from "../../store/current-member.ts";
import { useFact, useGroup, useReplica, useRow } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { RunningTimer } from "../../time/timer.tsx";
import { within } from "../../ui/address.ts";
import { IconButton, Kbd } from "../../ui/controls.tsx";
import { talk, toggleTalk, useTalking } from "../../ui/conversation-state.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { spelled } from "../../ui/keys.ts";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Projects } from "./projects.tsx";
import { Switcher } from "./switcher.tsx";
import { useWorkspaceName } from "./use-workspace-name.ts";

const living: Index<Project> = {
  groups: ({ archived_at }) => (archived_at ? [] : ["all"]),
  compare: () => 0,
};
const movedBehind = (ids: readonly string[], id: string, after: string | null) => {
  const others = ids.filter((each) => each !== id);
  return others.toSpliced(after === null ? 0 : others.indexOf(after) + 1, 0, id);
};
type Opens = (what: "palette" | "help" | "new" | "menu" | null) => void;

/** Projects in their shared order; new ones come last. */
function useProjects(): readonly string[] {
  const { ids } = useGroup("project", living, "all");
  const { member } = useReplica();
  const order = useRow("project_order", member.workspaceId)?.ids;
  return useMemo(() => {
    const known = new Set(ids);
    const first = (order ?? []).filter((id) => known.delete(id));
    return [...first, ...known];
  }, [ids, order]);
}

export function Sidebar({ open }: { open: Opens }) {
  const home = useFact<Home>("home");
  const projects = useProjects();
  const replica = useReplica();
  const workspace_id = replica.member.workspaceId;
  const shortcuts = useRow("shortcuts", workspace_id)?.project_ids ?? [];
  const mayWrite = useMayWrite();
  const talks = useTalking();
  const unread = useFact<number>("discuss:unread") ?? 0;
  function speak() {
    open(null);
    toggleTalk();
  }
  return (
    <div className="flex h-full flex-col gap-3 bg-page p-2">
      <div className="flex items-center gap-1">
        <Switcher open={open} />
        <IconButton icon="plus" label={`${t("shell.newTask")} (C)`} onClick={() => open("new")} />
      </div>
      <button type="button" onClick={() => open("palette")} className="nav-item border border-line bg-card text-soft">
        <Icon name="search" />
        <span className="min-w-0 flex-1 truncate text-left">{t("shell.search")}</span>
        <Kbd>{spelled("mod+k")}</Kbd>
      </button>
      <nav aria-label={t("shell.menu")} className="min-h-0 flex-1 space-y-4 overflow-y-auto">
        <ul>
          <Item to={within("")} icon="home" label={t("shell.home")} />
          <Item to={within("inbox")} icon="inbox" label={t("shell.inbox")} count={home?.unread} />
          <Item to={within("activity")} icon="pulse" label={t("shell.activity")} />
          <Item to={within("time")} icon="clock" label={t("shell.time")} />
          <Item to={within("changes")} icon="review" label={t("shell.changes")} />
          <Item to={within("documents")} icon="document" label={t("doc.documents")} />
          <Item to={within("agents")} icon="agent" label={t("shell.agents")} />
          <li>
            <button type="button" aria-pressed={talks} onClick={speak} className="nav-item">
              <Icon name="comment" />
              <span className="min-w-0 flex-1 truncate text-left">{t("shell.talk")}</span>
              <Unread count={unread} />
            </button>
          </li>
        </ul>
        {shortcuts.length > 0 && (
          <Projects
            title={t("shell.shortcuts")}
            ids={shortcuts}
            move={(id, after) =>
              void replica.make("replaceProjectShortcuts", {
                ids: [workspace_id],
                input: { workspace_id, project_ids: movedBehind(shortcuts, id, after) },
              })
            }
          />
        )}
        <Projects
          title={t("shell.projects")}
          ids={projects}
          add={mayWrite ? () => go(within("start")) : undefined}
          // The order is shared, so only owners and admins can change it.
          move={
            /^(?:owner|admin)$/.test(home?.role ?? "")
              ? (project_id, after_id) =>
                  void replica.make("moveProject", {
                    ids: [workspace_id],
                    input: { project_id, after_id },
                  })
              : undefined
          }
        />
      </nav>
      <RunningTimer />
    </div>
  );
}

function Item({ to, icon, label, count = 0 }: { to: string; icon: IconName; label: string; count?: number }) {
  const isHere = useAddress().pathname === to;
  return (
    <li>
      <Link to={to} aria-current={isHere ? "page" : undefined} className="nav-item">
        <Icon name={icon} />
        <span className="min-w-0 flex-1 truncate">{label}</span>
        <Unread count={count} />
      </Link>
    </li>
  );
}
function Unread({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span
      title={tn("shell.unread", count)}
      className="rounded-full bg-accent px-1.5 text-11 font-semibold text-on-accent"
    >
      {count}
      <span className="sr-only"> {tn("shell.unread", count)}</span>
    </span>
  );
}

export function MobileBar({ isOpen, open }: { isOpen: boolean; open: Opens }) {
  const name = useWorkspaceName();
  return (
    <header className="flex h-12 min-w-0 items-center gap-1 border-b border-line bg-page px-2 md:hidden">
      <IconButton icon="menu" label={t("shell.menu")} onClick={() => open("menu")} className="size-11" />
      <span className="min-w-0 flex-1 truncate text-14 font-semibold">{name}</span>
      <IconButton icon="search" label={t("shell.search")} onClick={() => open("palette")} className="size-11" />
      <IconButton icon="comment" label={t("shell.talk")} onClick={() => talk()} className="size-11" />
      <IconButton icon="plus" label={t("shell.newTask")} onClick={() => open("new")} className="size-11" />
      {isOpen && (
        <Dialog label={t("shell.menu")} at="left" close={() => open(null)}>
          <Sidebar open={open} />
        </Dialog>
      )}
    </header>
  );
}
