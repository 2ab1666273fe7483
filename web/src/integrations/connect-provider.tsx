// Connects a Workspace to a provider, through OAuth or with a credential. If the connection signs its deliveries with a
// secret, the secret is shown once.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../messages/t.ts";
import { Field, Secret, SettingsForm, type SettingsValues, useAct } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { ByDeclaring } from "./connector.tsx";
import { type IntegrationProvider, OWN } from "./words.tsx";

interface Props {
  provider: IntegrationProvider;
  label: string;
  changed: () => Promise<void>;
}
type Made = Awaited<ReturnType<Operations["createIntegrationCredential"]>>;

/** Offers the provider's registered authorization, and a credential form if the provider accepts one. */
export function Connect({ provider, label, changed }: Props) {
  const leaves = provider.authorization !== "credential";
  const isCredential = provider.credential_fields.length > 0;
  if (provider.provider_key === OWN) return <ByDeclaring label={label} name={provider.name} changed={changed} />;
  return (
    <>
      {leaves && <ByLeaving provider={provider} label={label} />}
      {isCredential && (
        <ByCredential
          provider={provider}
          label={leaves ? t("integrations.withToken") : label}
          look={leaves ? "quiet" : "plain"}
          changed={changed}
        />
      )}
    </>
  );
}

/** Redirects the browser to the provider, which returns it to the current page. */
export function useLeave(purpose: "installation" | "identity") {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const leave = (provider_key: string) =>
    void act(async () => {
      const { authorize_url } = await api.createIntegrationAuthorization({
        workspace_id: member.workspaceId,
        provider_key,
        purpose,
        return_path: location.pathname,
      });
      location.assign(authorize_url);
      // Stays busy until the page unloads, or the visitor navigates back to it.
      await new Promise((back) => addEventListener("pageshow", back, { once: true }));
    });
  return { leave, busy, said };
}

function ByLeaving({ provider: { provider_key, name }, label }: Omit<Props, "changed">) {
  const { leave, busy, said } = useLeave("installation");
  return (
    <>
      <Button aria-label={`${label}: ${name}`} aria-disabled={busy || undefined} onClick={() => leave(provider_key)}>
        {label}
      </Button>
      {said}
    </>
  );
}

function ByCredential({ provider, label, look, changed }: Props & { look: "plain" | "quiet" }) {
  const { api, member } = useReplica();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Made>();
  const { provider_key, name, credential_fields, own_signing } = provider;
  async function send(values: SettingsValues) {
    const { secret, installation, ...given } = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== ""),
    ) as Record<string, string>;
    const signing = secret && installation ? { signing: { secret, installation } } : {};
    const connected = { workspace_id: member.workspaceId, provider_key, ...given, ...signing };
    setMade(await api.createIntegrationCredential(connected));
    setOpen(false);
    await changed();
  }
  return (
    <>
      <Button look={look} aria-expanded={isOpen} aria-label={`${label}: ${name}`} onClick={() => setOpen(!isOpen)}>
        {label}
      </Button>
      {isOpen && (
        <div className="mt-1 w-full border-t border-line pt-3">
          <SettingsForm label={t("integrations.connectNamed", { name })} action={t("integrations.connect")} send={send}>
            {credential_fields.map((field, at) => (
              <Given key={field} field={field} provider={provider} isFirst={at === 0} />
            ))}
            {own_signing && <OwnSigning />}
          </SettingsForm>
        </div>
      )}
      {made?.webhook_url && (
        <div className="w-full">
          <Secret value={made.webhook_url} help={t("integrations.deliverTo")} />
          {made.signing_secret && <Secret value={made.signing_secret} help={t("integrations.secretOnce")} />}
        </div>
      )}
    </>
  );
}

/**
 * Fields of a connection whose deliveries are signed like those of Sentry; an empty secret makes the service generate
 * one.
 */
function OwnSigning() {
  return (
    <>
      <Field
        name="secret"
        type="password"
        autoComplete="off"
        label={t("integrations.ownSecret")}
        help={t("integrations.ownSecretHelp")}
        minLength={16}
        maxLength={200}
      />
      <Field
        name="installation"
        label={t("integrations.ownInstallation")}
        help={t("integrations.ownInstallationHelp")}
        maxLength={100}
      />
    </>
  );
}

interface GivenProps {
  field: IntegrationProvider["credential_fields"][number];
  provider: IntegrationProvider;
  isFirst: boolean;
}
function Given({ field, provider: { base_url, scopes }, isFirst }: GivenProps) {
  const common = { name: field, autoFocus: isFirst };
  if (field === "name")
    return <Field {...common} label={t("field.name")} help={t("integrations.nameHelp")} required maxLength={100} />;
  if (field === "base_url")
    return (
      <Field
        {...common}
        type="url"
        label={t("integrations.address")}
        help={base_url ? t("integrations.addressHelp") : undefined}
        placeholder={base_url ?? "https://"}
        required={base_url === null}
        maxLength={500}
      />
    );
  return (
    <Field
      {...common}
      type="password"
      autoComplete="off"
      label={t("integrations.credential")}
      help={t("integrations.credentialHelp", { scopes: scopes.join(", ") || "–" })}
      required
      maxLength={2000}
    />
  );
}
