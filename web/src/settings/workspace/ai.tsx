// Settings for external AI assistants: whether they may access the Workspace, and the service credentials that act for
// no particular member.

import { serviceScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { momentText, plusDays, today } from "../../ui/formats/dates.ts";
import { Unread } from "../../ui/page.tsx";
import {
  Block,
  Field,
  NotYours,
  Row,
  Rows,
  Secret,
  SettingsForm,
  type SettingsValues,
  Sure,
  Tick,
  useAct,
  useManages,
} from "../elements/form-elements.tsx";

export function AiSettings() {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const manages = useManages();
  const { act, said } = useAct();
  const { value, failed, again } = useReading("ai-policy", (client) => client.getAiAccessPolicy({ workspace_id }));
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  return (
    <>
      {!manages && <NotYours />}
      <Block title={t("ai.access")} lead={t("ai.lead")} aside={said}>
        <Tick
          label={t("ai.enabled")}
          help={t("ai.enabledHelp")}
          checked={value.enabled}
          disabled={!manages}
          onChange={(event) =>
            void act(async () => {
              await api.replaceAiAccessPolicy({ workspace_id, enabled: event.target.checked }, { at: value });
              await again();
            })
          }
        />
      </Block>
      {manages && <Credentials isEnabled={value.enabled} />}
    </>
  );
}

function Credentials({ isEnabled }: { isEnabled: boolean }) {
  const { api, member, store } = useReplica();
  const workspace_id = member.workspaceId;
  const home = useHome();
  const [secret, setSecret] = useState<string | null>(null);
  const { value, failed, again } = useReading(
    "mcp-credentials",
    async (client) => (await client.listMcpServiceCredentials({ workspace_id, limit: 100 })).items,
  );
  async function create({ name, expires, project, ...ticked }: SettingsValues) {
    const made = await api.createMcpServiceCredential({
      workspace_id,
      name: name as string,
      scopes: serviceScopes.filter((scope) => ticked[scope]),
      ...(project && { project_ids: [project] }),
      ...(expires && { expires_at: new Date(`${expires}T23:59:59Z`).toISOString() }),
    });
    setSecret(made.token);
    await again();
  }
  const now = today(home?.timezone);
  const fine = serviceScopes.filter((scope) => scope.split(":").length > 2);
  const projects = [...store.all("project")].filter(({ id, archived_at }) => !archived_at && !id.startsWith("new-"));
  return (
    <>
      <Block title={t("ai.new")} lead={isEnabled ? t("ai.newLead") : t("ai.resting")}>
        <SettingsForm label={t("ai.new")} action={t("tokens.create")} send={create} once>
          <Field name="name" label={t("field.name")} required maxLength={100} placeholder={t("ai.nameExample")} />
          <fieldset>
            <legend className="mb-1 font-medium">{t("ai.scopes")}</legend>
            <Tick name="svc:read" label={t("ai.read")} defaultChecked />
            <Tick name="svc:write" label={t("ai.write")} />
            <details className="mt-1">
              <summary className="cursor-pointer text-12 text-soft">{t("ai.fine")}</summary>
              <div className="mt-1 grid gap-x-4 sm:grid-cols-2">
                {fine.map((scope) => (
                  <Tick key={scope} name={scope} label={scope} />
                ))}
              </div>
            </details>
          </fieldset>
          <label className="block">
            <span className="mb-1 block font-medium">{t("ai.project")}</span>
            <select name="project" defaultValue="" className="field w-full">
              <option value="">{t("ai.allProjects")}</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <Field
            name="expires"
            type="date"
            label={t("tokens.expires")}
            help={t("ai.expiresHelp")}
            min={plusDays(now, 1)}
            max={plusDays(now, 365)}
          />
        </SettingsForm>
        {secret && <Secret value={secret} help={t("tokens.once")} />}
      </Block>
      <Block title={t("ai.credentials")}>
        {!value ? (
          <Unread failed={failed} again={() => void again()} rows={2} />
        ) : value.length === 0 ? (
          <p className="text-soft">{t("ai.none")}</p>
        ) : (
          <Rows label={t("ai.credentials")}>
            {value.map((one) => (
              <Row
                key={one.id}
                tools={
                  <Sure
                    label={t("settings.revoke")}
                    name={one.name}
                    run={async () => {
                      await api.revokeMcpServiceCredential({ workspace_id, credential_id: one.id });
                      await again();
                    }}
                  />
                }
              >
                <p className="font-medium break-words">{one.name}</p>
                <p className="text-12 break-words text-soft">
                  …{one.last_four} · {one.scopes.join(", ")} ·{" "}
                  {t("tokens.until", { when: momentText(one.expires_at, home?.locale, home?.timezone) })}
                </p>
              </Row>
            ))}
          </Rows>
        )}
      </Block>
    </>
  );
}
