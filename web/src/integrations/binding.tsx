// One binding of a Project: its resource and state, subscriptions, rules, and removal.
import { t } from "../messages/t.ts";
import { SettingsForm, Sure } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Readiness } from "./readiness.tsx";
import { hasRules, Rules, rulesIn } from "./rules.tsx";
import { Subscriptions } from "./subscriptions.tsx";
import { errorText, type IntegrationBinding, type Offered, State, titleOf } from "./words.tsx";

interface Props {
  binding: IntegrationBinding;
  /** Bound resource; undefined if the provider no longer lists it. */
  offered: Offered | undefined;
  projectId: string;
  manages: boolean;
  changed: () => Promise<void>;
}
export function Bound({ binding, offered, projectId, manages, changed }: Props) {
  const { api } = useReplica();
  const { id, revision, rules } = binding;
  const provider = offered?.provider;
  const title = offered ? titleOf(offered) : binding.resource.name;
  return (
    <section aria-label={title} data-binding={id} className="mb-4 rounded-lg border border-line p-3">
      <header className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 basis-48 font-semibold break-words">
          {title}
          {offered && (
            <span className="block text-12 font-normal text-soft">
              {provider?.name} · {offered.installation.account_name}
            </span>
          )}
        </h3>
        {offered && offered.installation.state !== "active" && <State state={offered.installation.state} />}
        {manages && (
          <Sure
            label={t("integrations.unbind")}
            name={title}
            run={async () => {
              await api.deleteIntegrationBinding({ binding_id: id });
              await changed();
            }}
          />
        )}
      </header>
      {offered?.installation.error_code && (
        <p className="mt-1 text-12 text-bad">{errorText(offered.installation.error_code)}</p>
      )}
      {binding.resource.error_code && (
        <p className="mt-1 text-12 text-bad" data-error={binding.resource.error_code}>
          {t(`integrations.resourceError.${binding.resource.error_code}`)}
        </p>
      )}
      {provider && <Subscriptions bindingId={id} kinds={provider.event_kinds} manages={manages} />}
      {provider?.provider_key === "errtrack" && manages && <Readiness bindingId={id} name={title} />}
      {provider && hasRules(provider) && (
        <div className="mt-3">
          <SettingsForm
            key={revision}
            label={t("integrations.rulesOf", { name: title })}
            action={t("settings.save")}
            disabled={!manages}
            send={async (values) => {
              await api.updateIntegrationBinding({ binding_id: id, rules: rulesIn(values) }, { at: binding });
              await changed();
            }}
          >
            <Rules provider={provider} projectId={projectId} rules={rules} />
          </SettingsForm>
        </div>
      )}
    </section>
  );
}
