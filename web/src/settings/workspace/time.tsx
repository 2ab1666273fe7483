// Time-tracking settings of the Workspace: enabled, and rounding.
import { t } from "../../messages/t.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Unread } from "../../ui/page.tsx";
import {
  Block,
  NotYours,
  Select,
  SettingsForm,
  type SettingsValues,
  Tick,
  useManages,
} from "../elements/form-elements.tsx";

const modes = ["exact", "ceil_15_minutes", "ceil_30_minutes"] as const;

export function TimeSettings() {
  const { api } = useReplica();
  const manages = useManages();
  const { value, failed, again } = useReading("time-tracking", (client) => client.getTimeTracking(), { on: /^time/ });
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const save = async ({ enabled, rounding_mode }: SettingsValues) => {
    await api.updateTimeTracking(
      { enabled: enabled !== undefined, rounding_mode: rounding_mode as (typeof modes)[number] },
      { at: value },
    );
    await again();
  };
  return (
    <Block lead={t("timePolicy.lead")}>
      {!manages && <NotYours />}
      <SettingsForm
        key={value.revision}
        label={t("settings.time")}
        action={t("settings.save")}
        send={save}
        disabled={!manages}
      >
        <Tick
          name="enabled"
          label={t("timePolicy.enabled")}
          help={t("timePolicy.enabledHelp")}
          defaultChecked={value.enabled}
        />
        <Select
          name="rounding_mode"
          label={t("timePolicy.rounding")}
          defaultValue={value.rounding_mode}
          options={modes.map((mode) => [mode, t(`timePolicy.${mode}`)] as const)}
        />
      </SettingsForm>
    </Block>
  );
}
