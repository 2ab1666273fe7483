// Assistant preferences of a member in this Workspace: time zone, and whether small actions need confirmation.
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Unread } from "../../ui/page.tsx";
import { Block, SettingsForm, type SettingsValues, Tick } from "../elements/form-elements.tsx";
import { ZoneField } from "../elements/region.tsx";

export function AssistantSettings() {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const { value, failed, again } = useReading("assistant", (client) => client.getDiscussPreferences({ workspace_id }));
  const [follows, setFollows] = useState<boolean | null>(null);
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const save = async ({ timezone, follow, opt_in }: SettingsValues) => {
    const own = timezone?.trim() ?? value.timezone;
    await api.updateDiscussPreferences(
      {
        workspace_id,
        follow_account_timezone: follow !== undefined,
        opt_in: opt_in !== undefined,
        ...(own !== value.timezone && { timezone: own }),
      },
      { at: value },
    );
    await again();
  };
  return (
    <Block lead={t("assistant.lead")}>
      <SettingsForm key={value.revision} label={t("settings.assistant")} action={t("settings.save")} send={save}>
        <Tick
          name="opt_in"
          label={t("assistant.optIn")}
          help={t("assistant.optInHelp")}
          defaultChecked={value.opt_in}
        />
        <Tick
          name="follow"
          label={t("assistant.follow")}
          help={t("assistant.followHelp", { zone: value.effective_timezone })}
          checked={follows ?? value.follow_account_timezone}
          onChange={(event) => setFollows(event.target.checked)}
        />
        <ZoneField
          label={t("assistant.timezone")}
          defaultValue={value.timezone}
          disabled={follows ?? value.follow_account_timezone}
        />
      </SettingsForm>
    </Block>
  );
}
