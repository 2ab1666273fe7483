// Who somebody is to others, and how dates, weeks and words are shown to them.
import { useId } from "react";
import { speak, t } from "../messages/t.ts";
import { useSession } from "../session.tsx";
import { loadHome } from "../shell/load.ts";
import { useReplica } from "../store/react.ts";
import { useReading } from "../store/reading.ts";
import { Unread } from "../ui/page.tsx";
import { Block, Field, Select, SettingsForm, type Values } from "./parts.tsx";

export function ProfileSettings() {
  const replica = useReplica();
  const { refresh } = useSession();
  const zones = useId();
  const { value: me, failed, again } = useReading("me", (api) => api.getMe());
  if (!me) return <Unread failed={failed} again={() => void again()} />;
  async function save(values: Values) {
    const { language, ...fields } = values;
    const changed = Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => me?.[name as "locale"] !== value.trim()),
    );
    if (Object.keys(changed).length > 0) await replica.api.updateMe(changed, { at: me });
    if (language !== me?.interface_language.slice(0, 2))
      await replica.api.replaceInterfaceLanguage({ language: language as string });
    await Promise.all([again(), refresh(), loadHome(replica)]);
    await speak(language);
  }
  return (
    <Block lead={t("profile.lead")}>
      <SettingsForm
        key={me.revision + me.interface_language}
        label={t("settings.profile")}
        action={t("settings.save")}
        send={save}
      >
        <Field
          name="display_name"
          label={t("profile.name")}
          defaultValue={me.display_name}
          required
          maxLength={100}
          autoComplete="name"
        />
        <Field
          name="username"
          label={t("profile.username")}
          help={t("profile.usernameHelp")}
          defaultValue={me.username}
          required
          maxLength={32}
          autoComplete="username"
        />
        <Select
          name="language"
          label={t("profile.language")}
          defaultValue={me.interface_language.slice(0, 2)}
          options={[
            ["en", "English"],
            ["de", "Deutsch"],
          ]}
        />
        <Field
          name="locale"
          label={t("profile.locale")}
          help={t("profile.localeHelp")}
          defaultValue={me.locale}
          required
          maxLength={35}
        />
        <Field name="timezone" label={t("profile.timezone")} defaultValue={me.timezone} required list={zones} />
        <datalist id={zones}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <Select
          name="week_start"
          label={t("profile.weekStart")}
          defaultValue={me.week_start}
          options={weekStarts(me.locale)}
        />
      </SettingsForm>
    </Block>
  );
}
/** The days on which a week may begin. 1 January 2024 was a Monday. */
export const weekStarts = (locale?: string) =>
  (
    [
      ["monday", 1],
      ["saturday", 6],
      ["sunday", 7],
    ] as const
  ).map(
    ([day, date]) =>
      [
        day,
        new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2024, 0, date))),
      ] as const,
  );
