// Webhook settings. The secret of an endpoint is displayed once.
import "../messages/later/webhooks.ts";
import { useState } from "react";
import { t } from "../messages/t.ts";
import { Block, NotYours, Rows, Secret, useManages } from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Unread } from "../ui/page.tsx";
import { Endpoint } from "./endpoint.tsx";
import { EndpointForm, type Wanted } from "./form.tsx";

/** Largest number of endpoints. */
const ALL = 20;

export default function WebhookSettings() {
  return useManages() ? <Webhooks /> : <NotYours />;
}

function Webhooks() {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const [secret, setSecret] = useState<string | null>(null);
  const { value, failed, again } = useReading(
    "webhook-endpoints",
    async (client) => (await client.listWebhookEndpoints({ workspace_id, limit: ALL })).items,
    { on: /^webhook_endpoint$/ },
  );
  async function create(wanted: Wanted) {
    const made = await api.createWebhookEndpoint({ workspace_id, ...wanted });
    setSecret(made.secret);
    await again();
  }
  return (
    <>
      <Block title={t("webhooks.endpoints")} lead={t("webhooks.lead")}>
        {!value ? (
          <Unread failed={failed} again={() => void again()} rows={2} />
        ) : value.length === 0 ? (
          <p className="text-soft">{t("webhooks.none")}</p>
        ) : (
          <Rows label={t("webhooks.endpoints")}>
            {value.map((endpoint) => (
              <Endpoint key={endpoint.id} endpoint={endpoint} again={again} />
            ))}
          </Rows>
        )}
      </Block>
      <Block title={t("webhooks.new")} lead={t("webhooks.newLead")}>
        <EndpointForm label={t("webhooks.new")} action={t("webhooks.create")} send={create} once />
        {secret && <Secret value={secret} help={t("webhooks.once")} />}
      </Block>
    </>
  );
}
