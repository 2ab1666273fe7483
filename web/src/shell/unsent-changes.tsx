// List of unsent changes: waiting ones, those with unknown outcome, and conflicts with both versions of each field.
import { useState } from "react";
import { t } from "../messages/t.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import { usePending, useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { nameOf, valueText, wordsOf } from "./words.ts";

export function Unsent({ close }: { close: () => void }) {
  const pending = usePending();
  return (
    <Dialog label={t("queue.title")} close={close}>
      <div className="p-4">
        <h2 className="mb-3 text-16 font-semibold">{t("queue.title")}</h2>
        {pending.length === 0 && <p className="text-soft">{t("queue.empty")}</p>}
        <ul className="max-h-[60dvh] divide-y divide-line overflow-y-auto">
          {pending.map((change) => (
            <li key={change.key} className="py-3">
              {change.state === "conflict" ? <Conflict change={change} /> : <Waiting change={change} />}
            </li>
          ))}
        </ul>
        <div className="mt-4 flex justify-end">
          <Button onClick={close}>{t("ui.close")}</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Waiting({ change }: { change: QueuedChange }) {
  const replica = useReplica();
  const isOld = change.state === "old";
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          {wordsOf(change)}: {nameOf(replica.store, change)}
        </p>
        <p className="text-12 text-soft">{isOld ? t("queue.old") : t("queue.waiting")}</p>
      </div>
      {/* A change that may already have been sent cannot be discarded. */}
      {(isOld || change.sentAt === null) && (
        <Button look="quiet" onClick={() => replica.discard(change.key)}>
          {isOld ? t("queue.seen") : t("queue.discard")}
        </Button>
      )}
    </div>
  );
}

function Conflict({ change }: { change: QueuedChange }) {
  const replica = useReplica();
  const { row = {}, fields = [] } = change.theirs ?? {};
  const [mine, setMine] = useState<readonly string[]>(fields);
  const several = fields.length > 1;
  const side = (field: string, isMine: boolean, value: unknown) => {
    const text = valueText(replica.store, field, value);
    if (!several) return text;
    return (
      <label className="flex items-start gap-1.5">
        <input
          type="radio"
          name={change.key + field}
          checked={mine.includes(field) === isMine}
          onChange={() => setMine(isMine ? [...mine, field] : mine.filter((each) => each !== field))}
        />
        <span className="sr-only">
          {valueText.label(field)}, {isMine ? t("conflict.mine") : t("conflict.theirs")}:
        </span>
        {text}
      </label>
    );
  };
  return (
    <section aria-label={t("conflict.title")}>
      <p className="font-medium">
        {t("conflict.title")}: {nameOf(replica.store, change)}
      </p>
      <table className="mt-2 w-full table-fixed text-left">
        <thead className="text-12 text-soft">
          <tr>
            <th className="w-24 font-medium">{t("conflict.field")}</th>
            <th className="font-medium">{t("conflict.mine")}</th>
            <th className="font-medium">{t("conflict.theirs")}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field} className="align-top">
              <th className="py-1 font-normal text-soft">{valueText.label(field)}</th>
              <td className="py-1 pr-3 break-words whitespace-pre-wrap">{side(field, true, change.input[field])}</td>
              <td className="py-1 break-words whitespace-pre-wrap">{side(field, false, row[field])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-12 text-soft">{t("conflict.help")}</p>
      <div className="mt-2 flex gap-2">
        <Button
          look="first"
          onClick={() => (mine.length > 0 ? replica.keepMine(change.key, mine) : replica.discard(change.key))}
        >
          {several ? t("conflict.keepChosen") : t("conflict.keepMine")}
        </Button>
        <Button onClick={() => replica.discard(change.key)}>{t("conflict.takeTheirs")}</Button>
      </div>
    </section>
  );
}
