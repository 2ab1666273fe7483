// API tokens for scripts and the command line: created for this Workspace, displayed once, revocable at once.
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
  Row,
  Rows,
  Secret,
  SettingsForm,
  type SettingsValues,
  Sure,
  Tick,
} from "../elements/form-elements.tsx";

const scopes = ["svc:read", "svc:write"] as const;

export function TokenSettings() {
  const { api, member } = useReplica();
  const home = useHome();
  const [secret, setSecret] = useState<string | null>(null);
  const { value, failed, again } = useReading("api-tokens", (client) => client.listApiTokens({ limit: 100 }));
  async function create({ name, expires, ...ticked }: SettingsValues) {
    const made = await api.createApiToken({
      name: name as string,
      scopes: scopes.filter((scope) => ticked[scope]),
      ...(expires && { expires_at: new Date(`${expires}T23:59:59Z`).toISOString() }),
    });
    setSecret(made.token);
    await again();
  }
  const now = today(home?.timezone);
  return (
    <>
      <Block title={t("tokens.new")} lead={t("tokens.lead")}>
        <SettingsForm label={t("tokens.new")} action={t("tokens.create")} send={create} once>
          <Field name="name" label={t("field.name")} required maxLength={100} placeholder={t("tokens.nameExample")} />
          <div>
            <Tick name="svc:read" label={t("tokens.read")} defaultChecked />
            <Tick name="svc:write" label={t("tokens.write")} />
          </div>
          <Field
            name="expires"
            type="date"
            label={t("tokens.expires")}
            help={t("tokens.expiresHelp")}
            min={plusDays(now, 1)}
            max={plusDays(now, 365)}
          />
        </SettingsForm>
        {secret && <Secret value={secret} help={t("tokens.once")} />}
      </Block>
      <Block title={t("tokens.yours")}>
        {!value ? (
          <Unread failed={failed} again={() => void again()} rows={3} />
        ) : value.items.length === 0 ? (
          <p className="text-soft">{t("tokens.none")}</p>
        ) : (
          <Rows label={t("tokens.yours")}>
            {value.items.map((token) => (
              <Row
                key={token.id}
                tools={
                  <Sure
                    label={t("settings.revoke")}
                    name={token.name}
                    run={async () => {
                      await api.deleteApiToken({ token_id: token.id });
                      await again();
                    }}
                  />
                }
              >
                <p className="font-medium break-words">{token.name}</p>
                <p className="text-12 text-soft">
                  …{token.last_four} · {token.scopes.join(", ")} ·{" "}
                  {t("tokens.until", { when: momentText(token.expires_at, home?.locale, home?.timezone) })}
                  {token.workspace_id !== member.workspaceId && ` · ${t("tokens.elsewhere")}`}
                </p>
              </Row>
            ))}
          </Rows>
        )}
      </Block>
    </>
  );
}
