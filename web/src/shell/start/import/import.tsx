// Imports Tasks from a CSV file: previews each row with its faults, then creates the Tasks through the usual operation.
// They wait in the queue like other changes, so a reload neither loses nor duplicates one.
import "../../../messages/later/import.ts";
import { newKey } from "@svc/client";
import { useMemo, useState } from "react";
import { t, tn } from "../../../messages/t.ts";
import { useReplica } from "../../../store/react.ts";
import type { Replica } from "../../../store/replica.ts";
import { create } from "../../../tasks/actions.ts";
import { Button } from "../../../ui/controls.tsx";
import {
  askedBy,
  columnsOf,
  type Fault,
  fields,
  type ImportedTask,
  type Known,
  parseTable,
  type Table,
} from "./csv.ts";

const MOST_ROWS = 1000;
const SHOWN = 8;

interface Props {
  /** Target Project, created on demand. Null if the input does not form a Project. */
  project: () => string | null;
  done: (projectId: string) => void;
}
export function Import({ project, done }: Props) {
  const replica = useReplica();
  const [table, setTable] = useState<Table | "broken" | "long" | null>(null);
  const found = useMemo(
    () => (table && typeof table === "object" ? readRows(table, knownOf(replica)) : null),
    [table, replica],
  );
  async function read(file: File | undefined) {
    if (!file) return setTable(null);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
    const parsed = parseTable(new TextDecoder(wide ? "utf-16le" : "utf-8").decode(bytes));
    setTable(parsed === null ? "broken" : parsed.rows.length > MOST_ROWS ? "long" : parsed);
  }
  function make(asked: readonly ImportedTask[]) {
    const id = project();
    if (id === null) return;
    // New Tasks go to the top of their column: creating them in reverse preserves the order of the file.
    const batch = newKey();
    for (const one of asked.toReversed()) create(replica, id, one, batch);
    done(id);
  }
  return (
    <section aria-label={t("import.title")} className="mt-4 rounded-xl border border-line p-4">
      <label className="block">
        <span className="mb-1 block font-medium">{t("import.title")}</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(event) => void read(event.target.files?.[0])}
          className="block w-full text-12 file:mr-3 file:cursor-pointer file:rounded-md file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-13 file:text-ink"
        />
        <span className="mt-1 block text-12 text-soft">{t("import.help")}</span>
      </label>
      {typeof table === "string" && (
        <p role="alert" className="mt-2 text-bad">
          {table === "broken" ? t("import.broken") : t("import.long", { count: MOST_ROWS })}
        </p>
      )}
      {found && (
        <div className="mt-3 space-y-3" data-import={found.good.length}>
          {found.hasTitle ? (
            <>
              <p className="font-medium">{tn("import.found", found.good.length)}</p>
              <Preview asked={found.good} />
              {found.bad.length > 0 && <Faults bad={found.bad} />}
              {found.ignored.length > 0 && (
                <p className="text-12 text-soft">{t("import.ignored", { names: found.ignored.join(", ") })}</p>
              )}
              <Button look="first" disabled={found.good.length === 0} onClick={() => make(found.good)}>
                {tn("import.make", found.good.length)}
              </Button>
            </>
          ) : (
            <p role="alert" className="text-bad">
              {t("import.noTitle")}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

type Bad = { number: number; fault: Fault; word: string };
function readRows({ header, rows }: Table, known: Known) {
  const columns = columnsOf(header);
  const good: ImportedTask[] = [];
  const bad: Bad[] = [];
  for (const { number, cells } of rows) {
    const asked = askedBy(cells, columns, known);
    if ("fault" in asked) bad.push({ number, ...asked });
    else good.push(asked);
  }
  const used = new Set(Object.values(columns));
  return {
    good,
    bad,
    hasTitle: columns.title !== undefined,
    ignored: header.filter((name, at) => name && !used.has(at)),
  };
}
function knownOf({ store }: Replica): Known {
  const statuses = [...store.all("status")].filter(
    ({ project_id, archived_at }) => project_id === null && !archived_at,
  );
  const labels = [...store.all("label")].filter(({ project_id }) => project_id === null);
  return {
    statuses: new Map(statuses.map(({ name, id }) => [name.toLowerCase(), id])),
    labels: new Map(labels.map(({ name, id }) => [name.toLowerCase(), id])),
  };
}

function Preview({ asked }: { asked: readonly ImportedTask[] }) {
  const { store } = useReplica();
  const shown = fields.filter((field) => field === "title" || asked.some((one) => told(one, field, store) !== ""));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen it is scrolled with the keyboard, too.
    <section aria-label={t("import.preview")} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-12">
        <thead>
          <tr className="text-soft">
            {shown.map((field) => (
              <th key={field} scope="col" className="py-1 pr-3 font-medium">
                {field === "title" ? t("task.title") : t(`import.${field}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {asked.slice(0, SHOWN).map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the file does not change.
            <tr key={at} className="border-t border-line">
              {shown.map((field) => (
                <td key={field} className="max-w-56 truncate py-1 pr-3">
                  {told(one, field, store)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {asked.length > SHOWN && <p className="mt-1 text-12 text-soft">{tn("import.more", asked.length - SHOWN)}</p>}
    </section>
  );
}
function told(one: ImportedTask, field: (typeof fields)[number], store: Replica["store"]): string {
  if (field === "status") return one.status_id ? (store.get("status", one.status_id)?.name ?? "") : "";
  if (field === "labels") return (one.label_ids ?? []).map((id) => store.get("label", id)?.name).join(", ");
  if (field === "priority") return one.priority ? t(`task.priority.${one.priority}`) : "";
  return one[field] ?? "";
}

function Faults({ bad }: { bad: readonly Bad[] }) {
  return (
    <details open>
      <summary className="cursor-pointer text-bad">{tn("import.bad", bad.length)}</summary>
      <ul className="mt-1 list-disc pl-5 text-12">
        {bad.slice(0, 50).map(({ number, fault, word }) => (
          <li key={number}>{t("import.row", { number, why: t(`import.${fault}`, { word }) })}</li>
        ))}
      </ul>
    </details>
  );
}
