// Work-in-progress limit of a column: displayed in its head, never enforced. Stored in this browser, because the API
// has no such field.
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { Popover } from "../../ui/overlays/popover.tsx";

const KEY = "board:limits";
const kept = (): Record<string, number> => JSON.parse(localStorage.getItem(KEY) ?? "{}");

export function ColumnCount({ column, name, total }: { column: string; name: string; total: number }) {
  const [limit, setLimit] = useState<number | undefined>(() => kept()[column]);
  const put = (typed: number) => {
    const { [column]: _, ...others } = kept();
    const next = typed > 0 ? typed : undefined;
    localStorage.setItem(KEY, JSON.stringify(next === undefined ? others : { ...others, [column]: next }));
    setLimit(next);
  };
  const isOver = limit !== undefined && total > limit;
  return (
    <Popover
      button={(props) => (
        <button
          type="button"
          {...props}
          title={t("limit.set", { name })}
          className={`picker relative tabular-nums ${isOver ? "bg-bad-wash font-semibold text-bad" : "text-soft"}`}
        >
          {limit === undefined ? total : `${total} / ${limit}`}
          <span className="sr-only"> {t(isOver ? "limit.over" : "limit.set", { name })}</span>
        </button>
      )}
    >
      {(close) => (
        <form
          aria-label={t("limit.set", { name })}
          onSubmit={(event) => {
            event.preventDefault();
            put(Number(new FormData(event.currentTarget).get("limit")));
            close();
          }}
          className="w-56 p-2"
        >
          <label className="block">
            <span className="mb-1 block font-medium">{t("limit.most")}</span>
            <input
              name="limit"
              type="number"
              min={0}
              max={9999}
              defaultValue={limit ?? ""}
              ref={(input) => input?.focus()}
              className="field w-full"
            />
            <span className="mt-1 block text-12 text-soft">{t("limit.help")}</span>
          </label>
        </form>
      )}
    </Popover>
  );
}
