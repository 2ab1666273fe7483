// Menu of the Workspace: switch to another one, account, theme, sign-out.

import { signOut, useSession } from "../../account/session.tsx";
import { t } from "../../messages/t.ts";
import { go } from "../../router.tsx";
import type { Home } from "../../store/current-member.ts";
import { useFact, useReplica } from "../../store/react.ts";
import { within } from "../../ui/address.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { Menu, type MenuItem } from "../../ui/overlays/menu.tsx";
import { showTheme, type Theme, theme } from "../../ui/theme.ts";
import { WorkspaceIcon } from "../../ui/workspace-icon.tsx";
import { useWorkspaceName } from "./use-workspace-name.ts";

/** Ends the session and deletes the persisted data; asks for confirmation if there are unsent changes. */
export function useSignOut() {
  const { set } = useSession();
  const { store } = useReplica();
  return async () => {
    const unsent = store.pending.length;
    if (unsent > 0 && !confirm(t("shell.signOutUnsent", { count: unsent }))) return;
    await signOut();
    // Removes the conversation drafts of this tab and whether the conversation was open.
    sessionStorage.clear();
    go("/signed-out", { replace: true });
    set({ state: "out" });
  };
}

export function Switcher({ open }: { open: (what: "help") => void }) {
  const home = useFact<Home>("home");
  const { member } = useReplica();
  const name = useWorkspaceName();
  const leave = useSignOut();
  const here = home?.workspaces.find(({ id }) => id === member.workspaceId);
  const others = (home?.workspaces ?? []).filter(({ id }) => id !== member.workspaceId);
  const item = (label: string, run: () => void, icon?: IconName): MenuItem => ({ label, run, icon });
  const current = theme();
  const themes: readonly Theme[] = ["system", "light", "dark"];
  return (
    <Menu
      label={t("shell.workspace", { name })}
      className="nav-item min-w-0 flex-1 font-semibold"
      groups={[
        {
          title: t("shell.otherWorkspaces"),
          items: [
            ...others.map((each) => item(each.name, () => go(`/workspaces/${each.slug}`))),
            item(t("shell.createWorkspace"), () => go("/workspaces/new"), "plus"),
          ],
        },
        {
          title: t("shell.theme"),
          items: themes.map((each) => ({
            label: t(`shell.theme.${each}`),
            run: () => showTheme(each),
            checked: each === current,
          })),
        },
        {
          items: [
            item(t("settings.title"), () => go(within("settings")), "settings"),
            item(t("settings.security"), () => go(within("settings/security")), "lock"),
            item(t("receipt.title"), () => go(within("receipts")), "undo"),
            item(t("shell.account"), () => go("/account"), "person"),
            item(t("shell.keys"), () => open("help")),
            item(t("shell.reference"), () => location.assign("/docs")),
            item(t("shell.signOut"), () => void leave()),
          ],
        },
      ]}
    >
      <WorkspaceIcon workspace={{ id: member.workspaceId, name, hasIcon: here?.has_icon }} />
      <span className="min-w-0 flex-1 truncate text-left">{name}</span>
      <Icon name="down" className="size-3.5 text-soft" />
    </Menu>
  );
}
