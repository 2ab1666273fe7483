// Profile settings: name and username as others see them, region and language.

import { useSession } from "../../account/session.tsx";
import { speak, t } from "../../messages/t.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Unread } from "../../ui/page.tsx";
import { loadHome } from "../../workspace/load.ts";
import { Block, Field, Select, SettingsForm, type SettingsValues } from "../elements/form-elements.tsx";
import { RegionFields } from "../elements/region.tsx";
import { ProfilePicture } from "../pictures.tsx";

export function ProfileSettings() {
  const replica = useReplica();
  const { refresh } = useSession();
  const { value: me, failed, again } = useReading("me", (api) => api.getMe());
  if (!me) return <Unread failed={failed} again={() => void again()} />;
  async function save(values: SettingsValues) {
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
    <>
      <ProfilePicture hasPicture={me.has_picture} changed={again} />
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
          <RegionFields of={me} />
        </SettingsForm>
      </Block>
    </>
  );
}
