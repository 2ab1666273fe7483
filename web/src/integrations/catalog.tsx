// Catalogue of providers: which can be connected, which are unavailable and why, and how to connect or request one.
import { useState } from "react";
import { t } from "../messages/t.ts";
import { Block, Field, Rows, SettingsForm, useManages } from "../settings/elements/form-elements.tsx";
import { useMayWrite } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Connect } from "./connect-provider.tsx";
import { type Installation, type IntegrationProvider, kindsText } from "./words.tsx";

interface Props {
  catalog: readonly IntegrationProvider[];
  installations: readonly Installation[];
  changed: () => Promise<void>;
}
export function Catalog({ catalog, installations, changed }: Props) {
  const manages = useManages();
  const mayWrite = useMayWrite();
  // Available providers come first.
  const sorted = [...catalog.filter(({ available }) => available), ...catalog.filter(({ available }) => !available)];
  return (
    <Block title={t("integrations.catalog")}>
      <Rows label={t("integrations.catalog")}>
        {sorted.map((provider) => {
          const isConnected = installations.some(({ provider_key }) => provider_key === provider.provider_key);
          return (
            <li
              key={provider.provider_key}
              data-provider={provider.provider_key}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
            >
              <Offer provider={provider} />
              {provider.available && manages && (
                <Connect
                  provider={provider}
                  label={isConnected ? t("integrations.connectAnother") : t("integrations.connect")}
                  changed={changed}
                />
              )}
              {provider.available && !manages && mayWrite && !isConnected && <Ask provider={provider} />}
            </li>
          );
        })}
      </Rows>
    </Block>
  );
}

function Offer({ provider: { name, available, reason, event_kinds } }: { provider: IntegrationProvider }) {
  return (
    <div className="min-w-0 flex-1 basis-48">
      <p className="font-medium">{name}</p>
      {event_kinds.length > 0 && (
        <p className="text-12 text-soft">{t("integrations.tells", { kinds: kindsText(event_kinds) })}</p>
      )}
      {!available && reason && <p className="text-12 text-soft">{t(`integrations.unavailable.${reason}`)}</p>}
    </div>
  );
}

/** Requests a provider from the members who manage Integrations. */
function Ask({ provider: { provider_key, name } }: { provider: IntegrationProvider }) {
  const { api, member } = useReplica();
  const [state, setState] = useState<"closed" | "open" | "asked">("closed");
  if (state === "asked")
    return (
      <p role="status" className="w-full text-good">
        {t("integrations.asked")}
      </p>
    );
  const isOpen = state === "open";
  return (
    <>
      <Button
        aria-expanded={isOpen}
        aria-label={`${t("integrations.ask")}: ${name}`}
        onClick={() => setState(isOpen ? "closed" : "open")}
      >
        {t("integrations.ask")}
      </Button>
      {isOpen && (
        <div className="mt-1 w-full border-t border-line pt-3">
          <SettingsForm
            label={t("integrations.askNamed", { name })}
            action={t("integrations.ask")}
            send={async ({ note }) => {
              const of = { workspace_id: member.workspaceId, provider_key };
              await api.createIntegrationRequest({ ...of, ...(note && { note }) });
              setState("asked");
            }}
          >
            <Field
              label={t("integrations.note")}
              help={t("integrations.askLead")}
              name="note"
              maxLength={2000}
              autoFocus
            />
          </SettingsForm>
        </div>
      )}
    </>
  );
}
