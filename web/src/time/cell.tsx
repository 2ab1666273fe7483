// Time cell of a Task and day. A single entry is edited directly; several entries show their sum and a list to edit
// each.
import { useState } from "react";
import { t } from "../messages/t.ts";
import { useReplica } from "../store/react.ts";
import type { TimeEntry } from "../store/rows.ts";
import { IconButton } from "../ui/controls.tsx";
import { clock, secondsIn, written } from "../ui/formats/duration.ts";
import { Popover } from "../ui/overlays/popover.tsx";
import type { TimesheetLine } from "./lines.ts";
import { correct, record, voidEntry } from "./operations.ts";

interface Props {
  task: TimesheetLine["task"];
  day: string;
  label: string;
  entries: readonly TimeEntry[];
  disabled: boolean;
}
export function Cell({ task, day, label, entries, disabled }: Props) {
  const total = entries.reduce((sum, { seconds }) => sum + seconds, 0);
  if (entries.length > 1)
    return (
      <Popover
        button={(props) => (
          <button
            type="button"
            {...props}
            aria-label={`${label}: ${clock(total)}`}
            className="field w-full cursor-pointer border-transparent text-center tabular-nums hover:border-edge"
          >
            {clock(total)}
          </button>
        )}
      >
        {() => (
          <ul className="w-56 space-y-1 p-1">
            {entries.map((entry, at) => (
              <li key={entry.id} className="flex items-center gap-1">
                <Field task={task} day={day} label={`${label} ${at + 1}`} entry={entry} disabled={disabled} />
                <span className="min-w-0 flex-1 truncate text-12 text-soft">{entry.note}</span>
              </li>
            ))}
          </ul>
        )}
      </Popover>
    );
  return <Field task={task} day={day} label={label} entry={entries[0]} disabled={disabled} />;
}

function Field({ task, day, label, entry, disabled }: Omit<Props, "entries"> & { entry: TimeEntry | undefined }) {
  const replica = useReplica();
  const shown = entry ? clock(entry.seconds) : "";
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  function done() {
    if (typed === null || typed.trim() === shown) return setTyped(null);
    const text = typed.trim();
    if (text === "" || text === "0") {
      if (entry) voidEntry(replica, entry.id);
      setWrong(false);
      return setTyped(null);
    }
    const seconds = secondsIn(text);
    if (seconds === null) return setWrong(true);
    if (!entry) record(replica, { task, day, duration: written(seconds) });
    else if (seconds !== entry.recorded_seconds) correct(replica, entry, { duration: written(seconds) });
    setWrong(false);
    setTyped(null);
  }
  return (
    <span className="flex items-center">
      <input
        aria-label={label}
        aria-invalid={isWrong || undefined}
        title={isWrong ? t("time.notADuration") : (entry?.note ?? undefined)}
        inputMode="text"
        value={typed ?? shown}
        disabled={disabled && !entry}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === "Enter") done();
          if (event.key === "Escape") {
            setTyped(null);
            setWrong(false);
          }
        }}
        className={`field w-full border-transparent bg-transparent px-1 text-center tabular-nums hover:border-edge focus:border-edge ${isWrong ? "border-bad" : ""}`}
      />
      {isWrong && (
        <>
          <span role="alert" className="sr-only">
            {t("time.notADuration")}
          </span>
          <IconButton
            icon="close"
            label={t("ui.cancel")}
            onClick={() => {
              setTyped(null);
              setWrong(false);
            }}
          />
        </>
      )}
    </span>
  );
}
