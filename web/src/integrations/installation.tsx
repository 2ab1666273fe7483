// One connection of the Workspace: state, management page, recent deliveries, bindable resources, and removal.
import { t } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import { Block, Sure, useAct, useManages } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Connect } from "./connect-provider.tsx";
import { ConnectorTools } from "./connector.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Resources } from "./resources.tsx";
import { errorText, type Installation, type IntegrationProvider, nameOf, OWN, State } from "./words.tsx";

interface Props {
  installation: Installation;
  catalog: readonly IntegrationProvider[];
  changed: () => Promise<void>;
}
export function InstallationSettings({ installation, catalog, changed }: Props) {
  const { api, store } = useReplica();
  const home = useHome();
  const { id, provider_key, account_name, base_url, state, error_code, checked_at, created_at } = installation;
  const provider = catalog.find((each) => each.provider_key === provider_key);
  const manages = useManages();
  // A connection identified only by its name, such as a webhook, has no page at the provider, and connecting again
  // would create another one.
  const isOwn = provider_key === OWN;
  const isOneOfMany = isOwn || provider?.credential_fields.includes("name");
  const when = (moment: string) => momentText(moment, home?.locale, home?.timezone);
  const by = store.get("person", installation.installed_by_actor_id)?.display_name ?? "";
  return (
    <>
      <p className="mb-4 text-12">
        <Link to={within("settings/integrations")} className="link">
          {t("integrations.all")}
        </Link>
      </p>
      <Block title={`${nameOf(catalog, provider_key)} · ${account_name}`} aside={<State state={state} />}>
        {error_code && (
          <p role="status" data-error={error_code} className="mb-3 rounded-lg bg-bad-wash px-3 py-2">
            {errorText(error_code)}
          </p>
        )}
        {base_url && <p className="break-words">{base_url}</p>}
        <p className="text-soft">
          {checked_at ? t("integrations.checked", { when: when(checked_at) }) : t("integrations.neverChecked")}
        </p>
        <p className="text-soft">{t("integrations.by", { name: by, when: when(created_at) })}</p>
        {manages && (
          <div className="mt-3 flex flex-wrap items-center gap-2">
            {state !== "revoked" && isOwn && <ConnectorTools installation={installation} changed={changed} />}
            {state !== "revoked" && !isOneOfMany && <Manage id={id} />}
            {provider?.available && !isOneOfMany && (
              <Connect provider={provider} label={t("integrations.again")} changed={changed} />
            )}
            <Sure
              label={t("integrations.disconnect")}
              name={account_name}
              run={async () => {
                await api.deleteIntegrationInstallation({ installation_id: id });
                go(within("settings/integrations"));
                await changed();
              }}
            />
            <p className="w-full text-12 text-soft">{t("integrations.disconnectLead")}</p>
          </div>
        )}
      </Block>
      {manages && <Deliveries installation={installation} />}
      <Resources installation={installation} manages={manages} />
    </>
  );
}

/** Opens the provider's management page in a new window. */
function Manage({ id }: { id: string }) {
  const { api } = useReplica();
  const { act, busy, said } = useAct();
  return (
    <>
      <Button
        aria-disabled={busy || undefined}
        onClick={() =>
          void act(async () => {
            const { url } = await api.createIntegrationManagementLink({ installation_id: id });
            open(url, "_blank", "noopener");
          })
        }
      >
        {t("integrations.manage")}
      </Button>
      {said}
    </>
  );
}
