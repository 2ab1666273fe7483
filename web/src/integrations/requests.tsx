// Requests of members for a provider. Connecting the provider closes a request; a manager can also decline it.
import { t } from "../messages/t.ts";
import { Block, Row, Rows, Sure } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { momentText } from "../ui/formats/dates.ts";
import { type IntegrationProvider, nameOf } from "./words.tsx";

export function Requests({ catalog }: { catalog: readonly IntegrationProvider[] }) {
  const { api, member, store } = useReplica();
  const home = useHome();
  const { value, again } = useReading(
    "integration-requests",
    (client) => client.listIntegrationRequests({ workspace_id: member.workspaceId, limit: 100 }),
    { on: /^integration_(?:request|installation)/ },
  );
  if (!value || value.items.length === 0) return null;
  return (
    <Block title={t("integrations.requests")} lead={t("integrations.requestsLead")}>
      <Rows label={t("integrations.requests")}>
        {value.items.map((request) => {
          const name = nameOf(catalog, request.provider_key);
          const by = store.get("person", request.requested_by_actor_id)?.display_name ?? "";
          return (
            <Row
              key={request.id}
              tools={
                <Sure
                  label={t("integrations.decline")}
                  name={`${name}, ${by}`}
                  run={async () => {
                    await api.declineIntegrationRequest({ request_id: request.id }, { at: request });
                    await again();
                  }}
                />
              }
            >
              <p className="font-medium">{name}</p>
              <p className="text-12 text-soft">
                {by} · {momentText(request.created_at, home?.locale, home?.timezone)}
              </p>
              {request.note && <p className="break-words whitespace-pre-line">{request.note}</p>}
            </Row>
          );
        })}
      </Rows>
    </Block>
  );
}
