// Receipts page: looks up a change by its idempotency key or command id, and shows its effects and whether it can be
// undone.
import "../messages/later/settings.ts";
import type { Operations } from "@svc/client";
import { type FormEvent, useEffect, useState } from "react";
import { deedOf } from "../activity/words.ts";
import { has, type Key, t, why } from "../messages/t.ts";
import { go, Link, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { withQuery } from "../ui/address.ts";
import { Button, Empty } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { PageHead, Unread } from "../ui/page.tsx";

type Receipt = Awaited<ReturnType<Operations["getOperationReceipt"]>>;

export default function ReceiptsPage() {
  const { member, recent } = useReplica();
  const id = useAddress().searchParams.get("id") ?? "";
  const { value, failed, again } = useReading(id === "" ? null : `receipt:${id}`, (api) =>
    api.getOperationReceipt({ workspace_id: member.workspaceId, id }),
  );
  useEffect(() => {
    document.title = `${t("receipt.title")} · svc`;
  }, []);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const said = String(new FormData(event.currentTarget).get("id")).trim();
    if (said === id) void again();
    else go(withQuery({ id: said || null }));
  }
  const commands = recent();
  return (
    <>
      <PageHead title={t("receipt.title")} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl space-y-6 p-4 sm:p-6">
          <form key={id} onSubmit={submit} className="flex flex-wrap items-end gap-2">
            <label className="min-w-56 flex-1">
              <span className="mb-1 block font-medium">{t("receipt.id")}</span>
              <input name="id" defaultValue={id} maxLength={255} required className="field w-full" />
            </label>
            <Button look="first" type="submit">
              {t("receipt.ask")}
            </Button>
          </form>
          {id === "" && (
            <section aria-label={t("receipt.recent")}>
              <h2 className="mb-1 font-semibold">{t("receipt.recent")}</h2>
              {commands.length === 0 && <p className="text-soft">{t("receipt.recentNone")}</p>}
              <ul>
                {commands.map(({ commandId, change }) => (
                  <li key={commandId}>
                    <Link to={withQuery({ id: commandId })} className="nav-item">
                      {operationText(change.operation)}
                      <span className="text-12 text-soft">{momentText(new Date(change.madeAt).toISOString())}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {id !== "" && failed === "not_found" && <Empty title={t("receipt.none")}>{t("receipt.noneHelp")}</Empty>}
          {id !== "" && failed !== "not_found" && !value && (
            <Unread failed={failed} again={() => void again()} rows={4} />
          )}
          {value && <Shown receipt={value} again={again} />}
        </div>
      </div>
    </>
  );
}

/** Name of an operation as in notices; an unknown one appears by its operationId. */
const operationText = (operation: string) => (has(`change.${operation}`) ? t(`change.${operation}` as Key) : operation);

function Shown({ receipt, again }: { receipt: Receipt; again: () => Promise<void> }) {
  const { api } = useReplica();
  const home = useHome();
  const [refused, setRefused] = useState<string | null>(null);
  const act = (run: () => Promise<unknown>) =>
    run().then(
      () => {
        setRefused(null);
        return again();
      },
      ({ code }) => setRefused(code),
    );
  const other = (label: Key, id: string | null) =>
    id && (
      <p>
        {t(label)}{" "}
        <Link to={withQuery({ id })} className="link break-all">
          {id}
        </Link>
      </p>
    );
  return (
    <article data-receipt={receipt.state} className="space-y-4 rounded-xl border border-line p-4">
      <header>
        <h2 className="text-16 font-semibold">{operationText(receipt.operation)}</h2>
        <p className="text-soft">
          {receipt.state === "committed" ? t("receipt.committed") : t("receipt.undone")} ·{" "}
          <time dateTime={receipt.occurred_at}>{momentText(receipt.occurred_at, home?.locale, home?.timezone)}</time>
        </p>
        <p className="text-12 break-all text-soft">{receipt.id}</p>
      </header>
      <section aria-label={t("receipt.effects")}>
        <h3 className="mb-1 font-medium">{t("receipt.effects")}</h3>
        <ol className="list-decimal space-y-1 pl-5">
          {receipt.effects.map(({ action, kind, resource_id, code }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what has happened does not move.
            <li key={at}>
              {deedOf(action)}{" "}
              {kind === "task" && resource_id ? (
                <Link to={withQuery({ task: resource_id })} className="link">
                  {code ?? t("receipt.something")}
                </Link>
              ) : (
                <span className="text-soft">{code ?? (resource_id ? kind : t("activity.gone"))}</span>
              )}
            </li>
          ))}
        </ol>
        {receipt.effects.length === 0 && <p className="text-soft">{t("receipt.noEffects")}</p>}
      </section>
      <div className="space-y-1 text-12 text-soft">
        {other("receipt.undoes", receipt.undoes)}
        {other("receipt.undoneBy", receipt.undone_by)}
        {other("receipt.redoneBy", receipt.redone_by)}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {receipt.undo.possible && (
          <Button onClick={() => void act(() => api.undoCommand({ command_id: receipt.id }))}>{t("toast.undo")}</Button>
        )}
        {receipt.redo.possible && (
          <Button onClick={() => void act(() => api.redoCommand({ command_id: receipt.id }))}>{t("toast.redo")}</Button>
        )}
        {!receipt.undo.possible && !receipt.redo.possible && receipt.undo.reason && (
          <p className="text-soft">{t("receipt.notUndoable", { why: why(receipt.undo.reason) })}</p>
        )}
        {refused && (
          <p role="alert" className="text-bad">
            {t("toast.refused", { why: why(refused) })}
          </p>
        )}
      </div>
    </article>
  );
}
