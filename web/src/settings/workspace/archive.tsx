// Archives a Workspace, which an owner can restore from the account page without loss, or leaves it.
import { useState } from "react";
import { forgetKept } from "../../account/clear-browser-data.ts";
import { t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useReplica } from "../../store/react.ts";
import { Button } from "../../ui/controls.tsx";
import { Block, Field, useAct } from "../elements/form-elements.tsx";

export function ArchiveBlock({ workspace }: { workspace: { name: string; revision: string } }) {
  const { api, member } = useReplica();
  const home = useHome();
  const { act, busy, said } = useAct();
  const [typed, setTyped] = useState<string | null>(null);
  const isOwner = home?.role === "owner";
  const archive = () =>
    act(async () => {
      await api.archiveWorkspace({ workspace_id: member.workspaceId }, { at: workspace });
      // Archiving ends the session in this Workspace; delete its persisted data.
      await forgetKept();
      location.assign("/account");
    });
  return (
    <>
      <Block title={t("workspace.leave")} lead={t("workspace.leaveLead")} />
      {isOwner && (
        <Block title={t("workspace.archive")} lead={t("workspace.archiveLead")}>
          {typed === null ? (
            <Button look="bad" onClick={() => setTyped("")}>
              {t("workspace.archive")}
            </Button>
          ) : (
            <div className="space-y-3 rounded-lg border border-bad p-3">
              <Field
                label={t("workspace.archiveName", { name: workspace.name })}
                value={typed}
                autoComplete="off"
                autoFocus
                onChange={(event) => setTyped(event.target.value)}
              />
              <div className="flex flex-wrap items-center gap-2">
                <Button
                  look="bad"
                  disabled={typed.trim() !== workspace.name}
                  aria-disabled={busy || undefined}
                  onClick={() => void archive()}
                >
                  {t("workspace.archiveNow")}
                </Button>
                <Button onClick={() => setTyped(null)}>{t("ui.cancel")}</Button>
              </div>
            </div>
          )}
          <p className="mt-2">{said}</p>
        </Block>
      )}
    </>
  );
}
