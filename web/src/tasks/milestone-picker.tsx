// Milestone picker of the Task panel and the list.
import { t } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useReplica, useRow } from "../store/react.ts";
import type { Task } from "../store/rows.ts";
import { dayText, today } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { Picker, type PickerOption } from "../ui/overlays/picker.tsx";
import { byDate } from "./indexes.ts";

const NONE = "none";

interface Props {
  task: Task;
  disabled: boolean;
  pick: (id: string | null) => void;
  /** Shows a text even without a Milestone. */
  long?: boolean;
}
export function MilestonePicker({ task, disabled, pick, long }: Props) {
  const { store } = useReplica();
  const home = useHome();
  const milestone = useRow("milestone", task.milestone_id);
  const options = () => {
    const { ids } = store.group("milestone", byDate, task.project_id);
    const found = ids.flatMap((id): PickerOption[] => {
      const each = store.get("milestone", id);
      const hint = each?.target_date && dayText(each.target_date, today(home?.timezone), home?.locale);
      return each ? [{ id, label: each.name, hint }] : [];
    });
    return [{ id: NONE, label: t("ui.none") }, ...found];
  };
  return (
    <Picker
      label={t("task.milestone")}
      value={milestone?.name ?? t("ui.none")}
      options={options}
      chosen={[task.milestone_id ?? NONE]}
      pick={(id) => pick(id === NONE ? null : id)}
      disabled={disabled}
    >
      {!long && <Icon name="flag" className={`size-3.5 ${milestone ? "" : "text-soft"}`} />}
      {(milestone || long) && (
        <span className={`max-w-40 truncate ${milestone ? "" : "text-soft"}`}>{milestone?.name ?? t("ui.none")}</span>
      )}
    </Picker>
  );
}
