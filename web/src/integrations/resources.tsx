// Bindable resources of a connection: search by name, and refresh on request.
import { useState } from "react";
import { t, tn } from "../messages/t.ts";
import { allOf } from "../projects/operations.ts";
import { Block, Field, Row, Rows, useAct } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Outside } from "../ui/external-link.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { narrowed } from "../ui/overlays/picker.tsx";
import { Unread } from "../ui/page.tsx";
import type { Installation, Resource } from "./words.tsx";

const MOST_SHOWN = 50;

export function Resources({ installation, manages }: { installation: Installation; manages: boolean }) {
  const { api } = useReplica();
  const home = useHome();
  const [typed, setTyped] = useState("");
  const { act, busy, said, isDone } = useAct();
  const { id, state, refreshed_at } = installation;
  const { value, failed, again } = useReading(`integration-resources:${id}:${refreshed_at}`, (client) =>
    allOf(client.listIntegrationResources({ installation_id: id, limit: 100 })),
  );
  const byId = new Map(value?.map((each) => [each.id, each]));
  const found = narrowed(value?.map(({ id, name }) => ({ id, label: name })) ?? [], typed);
  return (
    <Block
      title={t("integrations.resources")}
      lead={t("integrations.resourcesLead")}
      aside={
        manages &&
        state !== "revoked" && (
          <Button
            look="quiet"
            aria-disabled={busy || undefined}
            onClick={() => void act(() => api.refreshIntegrationResources({ installation_id: id }))}
          >
            {t("integrations.refresh")}
          </Button>
        )
      }
    >
      <p className="mb-2 text-12 text-soft" role="status">
        {isDone ? t("integrations.refreshing") : said}
        {refreshed_at &&
          ` ${t("integrations.refreshed", { when: momentText(refreshed_at, home?.locale, home?.timezone) })}`}
      </p>
      {!value ? (
        <Unread failed={failed} again={() => void again()} rows={3} />
      ) : value.length === 0 ? (
        <p className="text-soft">{t("integrations.noResources")}</p>
      ) : (
        <>
          {value.length > 5 && (
            <div className="mb-2">
              <Field
                type="search"
                label={t("integrations.find")}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </div>
          )}
          <Rows label={t("integrations.resources")}>
            {found.slice(0, MOST_SHOWN).map((option) => (
              <Line key={option.id} resource={byId.get(option.id) as Resource} />
            ))}
          </Rows>
          {found.length > MOST_SHOWN && (
            <p className="mt-2 text-12 text-soft">{tn("integrations.moreResources", found.length - MOST_SHOWN)}</p>
          )}
          {found.length === 0 && <p className="mt-2 text-soft">{t("ui.nothingFound")}</p>}
        </>
      )}
    </Block>
  );
}

function Line({ resource: { kind, name, url } }: { resource: Resource }) {
  return (
    <Row tools={<span className="text-12 text-soft">{t(`integrations.resource.${kind}`)}</span>}>
      <Outside url={url}>{name}</Outside>
    </Row>
  );
}
