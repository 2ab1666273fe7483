// Requests of members to the Agent managers about one definition, with the decisions.
import { t } from "../messages/t.ts";
import {
  Block,
  Field,
  Row,
  Rows,
  Select,
  SettingsForm,
  useAct,
  useManages,
} from "../settings/elements/form-elements.tsx";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";

const kinds = ["publish", "access", "change"] as const;

export function Requests({ definitionId }: { definitionId: string }) {
  const { api, member, store } = useReplica();
  const home = useHome();
  const manages = useManages();
  const mayWrite = useMayWrite();
  const { act, said } = useAct();
  const of = { workspace_id: member.workspaceId, definition_id: definitionId };
  const { value, again } = useReading(
    `agent-requests:${definitionId}`,
    async (client) => (await client.listAgentRequests({ ...of, limit: 50 })).items,
    { on: /^agent_request/ },
  );
  /** Decides on the current revision of the definition, so that an approval publishes exactly that revision. */
  const decide = (request_id: string, decision: "approve" | "reject") =>
    void act(async () => {
      const now = await api.getStudioDefinition(of);
      await api.updateStudioDefinition({ ...of, decide: { request_id, decision } }, { at: now });
    }).then(again);
  return (
    <Block title={t("agents.requests")}>
      {value?.length === 0 && <p className="mb-3 text-soft">{t("agents.noRequests")}</p>}
      {value && value.length > 0 && (
        <Rows label={t("agents.requests")}>
          {value.map(({ id, kind, note, state, created_at, requested_by_actor_id }) => (
            <Row
              key={id}
              tools={
                state === "pending" && manages ? (
                  <>
                    <Button look="quiet" onClick={() => decide(id, "reject")}>
                      {t("agents.reject")}
                    </Button>
                    <Button onClick={() => decide(id, "approve")}>{t("agents.approve")}</Button>
                  </>
                ) : (
                  <span className="text-12 text-soft">{t(`agents.request.${state}`)}</span>
                )
              }
            >
              {t(`agents.request.${kind}`)}
              {note && <span className="block break-words">{note}</span>}
              <span className="block text-12 text-soft">
                {store.get("person", requested_by_actor_id)?.display_name}
                {` · ${momentText(created_at, home?.locale, home?.timezone)}`}
              </span>
            </Row>
          ))}
        </Rows>
      )}
      <p className="my-2">{said}</p>
      {mayWrite && !manages && (
        <SettingsForm
          label={t("agents.askFor")}
          action={t("agents.ask")}
          once
          send={async ({ kind, note }) => {
            await api.createAgentRequest({ ...of, kind: kind as "publish", ...(note && { note }) });
            await again();
          }}
        >
          <Select
            label={t("agents.askFor")}
            name="kind"
            options={kinds.map((kind) => [kind, t(`agents.request.${kind}`)] as const)}
          />
          <Field label={t("agents.note")} name="note" maxLength={2000} />
        </SettingsForm>
      )}
    </Block>
  );
}
