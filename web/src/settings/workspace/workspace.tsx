// Workspace settings: name, address and shared defaults.
import { t } from "../../messages/t.ts";
import { go } from "../../router.tsx";
import { useHome } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Unread } from "../../ui/page.tsx";
import { loadHome } from "../../workspace/load.ts";
import {
  Block,
  Field,
  NotYours,
  Select,
  SettingsForm,
  type SettingsValues,
  useManages,
} from "../elements/form-elements.tsx";
import { RegionFields } from "../elements/region.tsx";
import { WorkspaceIconBlock } from "../pictures.tsx";
import { ArchiveBlock } from "./archive.tsx";

export function WorkspaceSettings() {
  const replica = useReplica();
  const { api } = replica;
  const workspace_id = replica.member.workspaceId;
  const home = useHome();
  const manages = useManages();
  const { value, failed, again } = useReading(
    "workspace-settings",
    async (client) => {
      const [workspace, settings] = await Promise.all([
        client.getWorkspace({ workspace_id }),
        client.getWorkspaceSettings({ workspace_id }),
      ]);
      return { workspace, settings };
    },
    { on: /^workspace/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const { workspace, settings } = value;
  async function rename({ name }: SettingsValues) {
    await api.updateWorkspace({ workspace_id, name: name as string }, { at: workspace });
    await Promise.all([again(), loadHome(replica)]);
  }
  async function move({ slug }: SettingsValues) {
    await api.updateWorkspace({ workspace_id, slug: slug as string }, { at: workspace });
    await loadHome(replica);
    go(`/workspaces/${slug}/settings/workspace`, { replace: true });
  }
  async function save(values: SettingsValues) {
    await api.updateWorkspaceSettings({ workspace_id, ...(values as { timezone: string }) }, { at: settings });
    await again();
  }
  return (
    <>
      {!manages && <NotYours />}
      <Block title={t("field.name")}>
        <SettingsForm
          key={workspace.name}
          label={t("field.name")}
          action={t("settings.save")}
          send={rename}
          disabled={!manages}
        >
          <Field name="name" label={t("field.name")} defaultValue={workspace.name} required maxLength={100} />
        </SettingsForm>
      </Block>
      <WorkspaceIconBlock workspace={workspace} changed={again} />
      <Block title={t("workspace.address")} lead={t("workspace.addressLead")}>
        <SettingsForm
          key={workspace.slug}
          label={t("workspace.address")}
          action={t("workspace.move")}
          send={move}
          disabled={!manages}
        >
          <Field
            name="slug"
            label={t("workspace.slug")}
            defaultValue={workspace.slug}
            required
            maxLength={48}
            pattern="[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?"
          />
        </SettingsForm>
      </Block>
      <Block title={t("workspace.defaults")} lead={t("workspace.defaultsLead")}>
        <SettingsForm
          key={settings.revision}
          label={t("workspace.defaults")}
          action={t("settings.save")}
          send={save}
          disabled={!manages}
        >
          <RegionFields of={settings} shownIn={home?.locale} />
          <Select
            name="default_project_visibility"
            label={t("workspace.visibility")}
            defaultValue={settings.default_project_visibility}
            options={[
              ["workspace", t("workspace.everybody")],
              ["private", t("workspace.private")],
            ]}
          />
        </SettingsForm>
      </Block>
      <ArchiveBlock workspace={workspace} />
    </>
  );
}
