// Accounts of the member at other services: link through the provider, unlink here.
import "../messages/later/integrations.ts";
import { t } from "../messages/t.ts";
import { Block, Row, Rows, Sure } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Unread } from "../ui/page.tsx";
import { useLeave } from "./connect-provider.tsx";
import { CameBack, nameOf } from "./words.tsx";

export default function IdentitySettings() {
  const { api } = useReplica();
  const home = useHome();
  const { leave, busy, said } = useLeave("identity");
  const { value, failed, again } = useReading("integration-identities", async (client) => {
    const [catalog, identities] = await Promise.all([
      client.getIntegrationCatalog(),
      client.listIntegrationIdentities({ limit: 100 }),
    ]);
    return { catalog: catalog.items, identities: identities.items };
  });
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const { catalog, identities } = value;
  const free = catalog.filter(
    (each) =>
      each.identities && each.available && !identities.some(({ provider_key }) => provider_key === each.provider_key),
  );
  return (
    <>
      <CameBack from="identity" />
      <p className="mb-4 text-soft">{t("integrations.identitiesLead")}</p>
      <Block>
        {identities.length === 0 ? (
          <p className="text-soft">{t("integrations.noIdentities")}</p>
        ) : (
          <Rows label={t("settings.identities")}>
            {identities.map(({ id, provider_key, name, base_url, created_at }) => (
              <Row
                key={id}
                tools={
                  <Sure
                    label={t("integrations.unlink")}
                    name={name}
                    run={async () => {
                      await api.deleteIntegrationIdentity({ identity_id: id });
                      await again();
                    }}
                  />
                }
              >
                <p className="font-medium break-words">{name}</p>
                <p className="text-12 text-soft">
                  {nameOf(catalog, provider_key)}
                  {base_url && ` · ${base_url}`}
                  {` · ${t("integrations.linkedOn", { when: momentText(created_at, home?.locale, home?.timezone) })}`}
                </p>
              </Row>
            ))}
          </Rows>
        )}
      </Block>
      <div className="flex flex-wrap items-center gap-2">
        {free.map(({ provider_key, name }) => (
          <Button key={provider_key} aria-disabled={busy || undefined} onClick={() => leave(provider_key)}>
            {t("integrations.linkNamed", { name })}
          </Button>
        ))}
        {free.length === 0 && identities.length === 0 && (
          <p className="text-soft">{t("integrations.noIdentityProviders")}</p>
        )}
        {said}
      </div>
    </>
  );
}
