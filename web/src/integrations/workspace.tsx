// Integrations page of the Workspace settings: every member can read it, managers can change it.
import "../messages/later/integrations.ts";
import { t } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { Block, Row, Rows, useManages } from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Unread } from "../ui/page.tsx";
import { Catalog } from "./catalog.tsx";
import { InstallationSettings } from "./installation.tsx";
import { Requests } from "./requests.tsx";
import { CameBack, errorText, type Installation, type IntegrationProvider, nameOf, State } from "./words.tsx";

export default function IntegrationSettings({ id }: { id?: string }) {
  const { member } = useReplica();
  const manages = useManages();
  const { value, failed, again } = useReading(
    "integrations",
    async (api) => {
      const [catalog, installations] = await Promise.all([
        api.getIntegrationCatalog(),
        api.listIntegrationInstallations({ workspace_id: member.workspaceId, limit: 100 }),
      ]);
      return { catalog: catalog.items, installations: installations.items };
    },
    { on: /^integration/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  if (id) {
    const installation = value.installations.find((each) => each.id === id);
    return installation ? (
      <InstallationSettings installation={installation} catalog={value.catalog} changed={again} />
    ) : (
      <Unread failed="not_found" again={() => void again()} />
    );
  }
  return (
    <>
      <CameBack from="installation" />
      <p className="mb-6 text-soft">{t("integrations.lead")}</p>
      {manages && <Requests catalog={value.catalog} />}
      <Block title={t("integrations.connected")}>
        {value.installations.length === 0 ? (
          <p className="text-soft">{t("integrations.noneConnected")}</p>
        ) : (
          <Rows label={t("integrations.connected")}>
            {value.installations.map((each) => (
              <Connected key={each.id} installation={each} catalog={value.catalog} />
            ))}
          </Rows>
        )}
      </Block>
      <Catalog {...value} changed={again} />
    </>
  );
}

function Connected({ installation, catalog }: { installation: Installation; catalog: readonly IntegrationProvider[] }) {
  const { id, provider_key, account_name, base_url, state, error_code } = installation;
  return (
    <Row tools={<State state={state} />}>
      <Link
        to={within(`settings/integrations/${id}`)}
        className="font-medium break-words text-ink no-underline hover:underline"
      >
        {nameOf(catalog, provider_key)} · {account_name}
      </Link>
      {base_url && <p className="text-12 break-words text-soft">{base_url}</p>}
      {error_code && <p className="text-12 text-bad">{errorText(error_code)}</p>}
    </Row>
  );
}
