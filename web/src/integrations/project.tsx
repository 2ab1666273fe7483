// Integrations of one Project: binds a resource in three steps (open, choose, bind), and lists the bindings with
// subscriptions and rules.
import "../messages/later/integrations.ts";
import { useState } from "react";
import { t } from "../messages/t.ts";
import { allOf } from "../projects/operations.ts";
import { Link } from "../router.tsx";
import { Block, focused, SettingsForm } from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Icon } from "../ui/icons.tsx";
import { Picker } from "../ui/overlays/picker.tsx";
import { Unread } from "../ui/page.tsx";
import { Bound } from "./binding.tsx";
import { Rules, rulesIn } from "./rules.tsx";
import { kindsText, type Offered, titleOf } from "./words.tsx";

export default function ProjectIntegrations({ projectId, manages }: { projectId: string; manages: boolean }) {
  const { member } = useReplica();
  const [chosen, setChosen] = useState<string | null>(null);
  const { value, failed, again } = useReading(
    `integration-bindings:${projectId}`,
    async (api) => {
      const [catalog, bindings, installations] = await Promise.all([
        api.getIntegrationCatalog(),
        allOf(api.listIntegrationBindings({ project_id: projectId, limit: 100 })),
        allOf(api.listIntegrationInstallations({ workspace_id: member.workspaceId, limit: 100 })),
      ]);
      const found = await Promise.all(
        installations.map(async (installation): Promise<Offered[]> => {
          const resources = await allOf(api.listIntegrationResources({ installation_id: installation.id, limit: 100 }));
          const provider = catalog.items.find(({ provider_key }) => provider_key === installation.provider_key);
          return resources.map((resource) => ({ resource, installation, provider }));
        }),
      );
      return { bindings, offered: found.flat() };
    },
    { on: /^integration/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const { bindings, offered } = value;
  const isFree = ({ resource, installation }: Offered) =>
    installation.state !== "revoked" && !bindings.some(({ resource_id }) => resource_id === resource.id);
  const free = offered.filter(isFree);
  const picked = free.find(({ resource }) => resource.id === chosen);
  return (
    <Block lead={t("integrations.bindingsLead")}>
      {bindings.map((binding) => (
        <Bound
          key={binding.id}
          binding={binding}
          offered={offered.find(({ resource }) => resource.id === binding.resource_id)}
          projectId={projectId}
          manages={manages}
          changed={again}
        />
      ))}
      {bindings.length === 0 && <p className="mb-3 text-soft">{t("integrations.noBindings")}</p>}
      {manages && free.length > 0 && (
        <Picker
          label={t("integrations.bindTo")}
          className="mb-3 border border-edge"
          options={free.map((each) => ({
            id: each.resource.id,
            label: titleOf(each),
            hint: each.provider?.name,
            words: `${each.provider?.name} ${each.installation.account_name}`,
          }))}
          pick={setChosen}
        >
          <Icon name="plus" />
          {t("integrations.bindTo")}
        </Picker>
      )}
      {manages && picked && (
        <Bind
          key={picked.resource.id}
          offered={picked}
          projectId={projectId}
          close={() => setChosen(null)}
          changed={again}
        />
      )}
      {offered.length === 0 && (
        <p className="text-soft">
          {t("integrations.nothingToBind")}{" "}
          <Link to={within("settings/integrations")} className="link">
            {t("integrations.toSettings")}
          </Link>
        </p>
      )}
    </Block>
  );
}

interface BindProps {
  offered: Offered;
  projectId: string;
  close: () => void;
  changed: () => Promise<void>;
}
/** A new binding subscribes to every event kind of the provider; members switch off what they do not need. */
function Bind({ offered, projectId, close, changed }: BindProps) {
  const { api } = useReplica();
  const { resource, installation, provider } = offered;
  if (!provider) return null;
  const name = titleOf(offered);
  return (
    <section aria-label={t("integrations.bindNamed", { name })} className="rounded-lg border border-line p-3">
      <h3 ref={focused} tabIndex={-1} className="font-semibold break-words">
        {t("integrations.bindNamed", { name })}
      </h3>
      <p className="mb-3 text-12 text-soft">{t("integrations.tells", { kinds: kindsText(provider.event_kinds) })}</p>
      <SettingsForm
        label={t("integrations.bindNamed", { name })}
        action={t("integrations.bind")}
        cancel={close}
        send={async (values) => {
          const { id } = await api.createIntegrationBinding({
            project_id: projectId,
            installation_id: installation.id,
            resource_id: resource.id,
            rules: rulesIn(values),
          });
          if (provider.event_kinds.length > 0)
            await api.createIntegrationSubscription({ binding_id: id, event_kinds: [...provider.event_kinds] });
          await changed();
          close();
        }}
      >
        <Rules provider={provider} projectId={projectId} />
      </SettingsForm>
    </section>
  );
}
