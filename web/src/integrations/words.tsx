// Texts about Integrations: event kinds, connection states, and the result of a provider redirect.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { has, type Key, t } from "../messages/t.ts";
import { useAddress } from "../router.tsx";

export type IntegrationProvider = Awaited<ReturnType<Operations["getIntegrationCatalog"]>>["items"][number];
export type Installation = Awaited<ReturnType<Operations["listIntegrationInstallations"]>>["items"][number];
export type Resource = Awaited<ReturnType<Operations["listIntegrationResources"]>>["items"][number];
export type IntegrationBinding = Awaited<ReturnType<Operations["listIntegrationBindings"]>>["items"][number];
export type EventKind = IntegrationProvider["event_kinds"][number];
/** Bindable resource with its connection and provider. */
export interface Offered {
  resource: Resource;
  installation: Installation;
  provider: IntegrationProvider | undefined;
}
/** The title of a delivery address is the name of its connection. */
export const titleOf = ({ resource, installation }: Offered) =>
  resource.kind === "endpoint" ? installation.account_name : resource.name;

/** Event kinds that the provider sends, followed by those that it receives. */
export function kindsText(kinds: readonly EventKind[]): string {
  const isTold = (kind: EventKind) => kind.startsWith("task_");
  const groups = [kinds.filter((kind) => !isTold(kind)), kinds.filter(isTold)];
  return groups
    .filter(({ length }) => length > 0)
    .map((group) => group.map((kind) => t(`integrations.kind.${kind}`)).join(", "))
    .join(" · ");
}

export const nameOf = (catalog: readonly IntegrationProvider[], key: string) =>
  catalog.find(({ provider_key }) => provider_key === key)?.name ?? key;

/** Reason of a failure; an unknown code appears as it is. */
export const errorText = (code: string) =>
  has(`integrations.error.${code}`) ? t(`integrations.error.${code}` as Key) : t("integrations.error.other", { code });

/** Reason why a private connector failed its test. */
export const testErrorText = (code: string) =>
  has(`connector.error.${code}`) ? t(`connector.error.${code}` as Key) : errorText(code);

/** Provider key of private connectors. */
export const OWN = "private_connector";

const looks = { active: "bg-good-wash text-good", degraded: "bg-bad-wash text-bad", revoked: "bg-sunken text-soft" };
/** Badge with the state of a connection. */
export function State({ state }: { state: Installation["state"] }) {
  return (
    <span
      data-state={state}
      className={`rounded-full px-2 py-0.5 text-12 font-medium whitespace-nowrap ${looks[state]}`}
    >
      {t(`integrations.state.${state}`)}
    </span>
  );
}

const answers = {
  installation: { connected: "integrations.back.connected", failed: "integrations.back.failed" },
  identity: { connected: "integrations.back.linked", failed: "integrations.back.notLinked" },
} as const;
/**
 * Result of a provider redirect. Removes the parameter from the address at once, so that a reload does not repeat the
 * message.
 */
export function CameBack({ from }: { from: keyof typeof answers }) {
  const { searchParams } = useAddress();
  const [said] = useState(() => searchParams.get("integration"));
  if (searchParams.has("integration")) history.replaceState(null, "", location.pathname);
  if (said !== "connected" && said !== "failed") return null;
  return (
    <p
      role="status"
      data-back={said}
      className={`mb-4 rounded-lg px-3 py-2 ${said === "connected" ? "bg-good-wash" : "bg-bad-wash"}`}
    >
      {t(answers[from][said])}
    </p>
  );
}
