// The result line below an action of the assistant or an Agent.
import { t } from "../messages/t.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { useReceipt } from "./applied-change-set.tsx";

/** Shows an undo button while undo is possible. */
export function Receipt({ commandId }: { commandId: string }) {
  const { member } = useReplica();
  const { receipt, problem, busy, undo } = useReceipt(member.workspaceId, commandId);
  const isUndone = receipt?.state === "undone";
  return (
    <p
      role="status"
      data-receipt={receipt?.state}
      className="flex min-h-8 items-center gap-2 rounded-lg bg-good-wash px-2.5"
    >
      <Icon name={isUndone ? "undo" : "check"} className="size-3.5" />
      <span className="flex-1">
        {isUndone ? t("talk.undone") : t("talk.done")}
        {problem && ` ${t("talk.notUndone")}`}
      </span>
      {receipt?.state === "committed" && receipt.undo.possible && (
        <Button look="quiet" disabled={busy} onClick={() => void undo()}>
          {t("toast.undo")}
        </Button>
      )}
    </p>
  );
}
