// Overview of all keyboard shortcuts that are active on this page.
import { t } from "../messages/t.ts";
import { IconButton, Kbd } from "../ui/controls.tsx";
import { spelled, useBindings } from "../ui/keys.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";

export function Help({ close }: { close: () => void }) {
  const bindings = useBindings();
  // Keys that do the same in several directions share one line.
  const lines = [...Map.groupBy(bindings, ({ label }) => label)];
  return (
    <Dialog label={t("keys.title")} close={close}>
      <div className="p-4">
        <div className="mb-2 flex items-center justify-between">
          <h2 className="text-16 font-semibold">{t("keys.title")}</h2>
          <IconButton icon="close" label={t("ui.close")} onClick={close} />
        </div>
        <dl className="grid gap-x-8 sm:grid-cols-2">
          {lines.map(([label, some]) => (
            <div key={label} className="flex min-h-8 items-center justify-between gap-3 border-b border-line py-1">
              <dt>{t(label)}</dt>
              <dd className="flex flex-wrap justify-end gap-1 whitespace-nowrap">
                {[...new Set(some.flatMap(({ keys }) => spelled(keys)))].map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
