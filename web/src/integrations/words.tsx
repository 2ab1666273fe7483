// Integrations in words: what a provider brings, how a connection is, and what the way back from a provider has brought.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { has, type Key, t } from "../messages/t.ts";
import { useAddress } from "../router.tsx";

export type Provider = Awaited<ReturnType<Operations["getIntegrationCatalog"]>>["items"][number];
export type Installation = Awaited<ReturnType<Operations["listIntegrationInstallations"]>>["items"][number];
export type Resource = Awaited<ReturnType<Operations["listIntegrationResources"]>>["items"][number];
export type Binding = Awaited<ReturnType<Operations["listIntegrationBindings"]>>["items"][number];
export type EventKind = Provider["event_kinds"][number];
/** What a Project can be bound to, with where it is from. */
export interface Offered {
  resource: Resource;
  installation: Installation;
  provider: Provider | undefined;
}
/** An address for deliveries is known by what its connection is called. */
export const titleOf = ({ resource, installation }: Offered) =>
  resource.kind === "endpoint" ? installation.account_name : resource.name;

/** What it brings, and behind it what it is told. */
export function kindsText(kinds: readonly EventKind[]): string {
  const isTold = (kind: EventKind) => kind.startsWith("task_");
  const groups = [kinds.filter((kind) => !isTold(kind)), kinds.filter(isTold)];
  return groups
    .filter(({ length }) => length > 0)
    .map((group) => group.map((kind) => t(`integrations.kind.${kind}`)).join(", "))
    .join(" · ");
}

export const nameOf = (catalog: readonly Provider[], key: string) =>
  catalog.find(({ provider_key }) => provider_key === key)?.name ?? key;

/** Why it does not work; a code that nobody has written about is told as it is. */
export const errorText = (code: string) =>
  has(`integrations.error.${code}`) ? t(`integrations.error.${code}` as Key) : t("integrations.error.other", { code });

/** Why a service of one's own did not pass its test. */
export const testErrorText = (code: string) =>
  has(`connector.error.${code}`) ? t(`connector.error.${code}` as Key) : errorText(code);

/** The key of the provider that a service of one's own is. */
export const OWN = "private_connector";

const looks = { active: "bg-good-wash text-good", degraded: "bg-bad-wash text-bad", revoked: "bg-sunken text-soft" };
/** A word and its colour. */
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
/** What the way back from a provider says, taken out of the address at once: reloading must not say it again. */
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
