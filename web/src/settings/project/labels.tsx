// The labels of a Project: its own, and how it shows those of the Workspace: under another name, in another colour, or not at all.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { allOf } from "../../projects/operations.ts";
import { useReplica } from "../../store/react.ts";
import { useReading } from "../../store/reading.ts";
import { bringLabels } from "../../tasks/load.ts";
import { colourOf } from "../../ui/colour.ts";
import { Unread } from "../../ui/page.tsx";
import { Button } from "../../ui/parts.tsx";
import { Colour, LabelList } from "../labels.tsx";
import { Block, focused, Row, Rows, Tick, useAct } from "../parts.tsx";
import type { Shown } from "./page.tsx";

type Label = Awaited<ReturnType<Operations["listProjectLabels"]>>["items"][number];
type Override = Awaited<ReturnType<Operations["listLabelOverrides"]>>["items"][number];

export function ProjectLabels({ project, may }: Shown) {
  const replica = useReplica();
  const manages = may("work:manage");
  const { value, failed, again } = useReading(
    `project-labels:${project.id}`,
    async (api) => {
      const project_id = project.id;
      const [labels, { items }] = await Promise.all([
        allOf(api.listProjectLabels({ project_id, include_hidden: true, limit: 100 })),
        api.listLabelOverrides({ project_id }),
      ]);
      bringLabels(replica, project_id, labels);
      return { labels: labels.filter((label) => label.project_id === null), overrides: items };
    },
    { on: /^label/ },
  );
  return (
    <>
      <Block title={t("project.ownLabels")} lead={t("project.ownLabelsLead")}>
        <LabelList projectId={project.id} mayAdd={manages} manages={manages} />
      </Block>
      <Block title={t("project.sharedLabels")} lead={t("project.sharedLabelsLead")}>
        {!value ? (
          <Unread failed={failed} again={() => void again()} rows={4} />
        ) : value.labels.length === 0 ? (
          <p className="text-soft">{t("labels.none")}</p>
        ) : (
          <Rows label={t("project.sharedLabels")}>
            {value.labels.map((label) => (
              <SharedLabel
                key={label.id}
                projectId={project.id}
                label={label}
                override={value.overrides.find(({ label_id }) => label_id === label.id)}
                manages={manages}
                changed={again}
              />
            ))}
          </Rows>
        )}
      </Block>
    </>
  );
}

interface Props {
  projectId: string;
  label: Label;
  override: Override | undefined;
  manages: boolean;
  changed: () => Promise<void>;
}
function SharedLabel({ projectId: project_id, label, override, manages, changed }: Props) {
  const { api, store } = useReplica();
  const { act, said } = useAct();
  const [isEdited, setEdited] = useState(false);
  const place = { project_id, label_id: label.id };
  const everywhere = store.get("label", label.id);
  const put = (fields: { name: string | null; color: string | null; hidden: boolean }) =>
    act(async () => {
      await api.replaceLabelOverride({ ...place, ...fields }, { at: override ?? "0" });
      await changed();
      setEdited(false);
    });
  const back = () =>
    act(async () => {
      await api.deleteLabelOverride(place, { at: override });
      await changed();
    });
  return (
    <Row
      tools={
        manages &&
        !isEdited && (
          <>
            {said}
            {override && (
              <Button
                look="quiet"
                aria-label={`${t("project.asEverywhere")}: ${label.name}`}
                onClick={() => void back()}
              >
                {t("project.asEverywhere")}
              </Button>
            )}
            <Button look="quiet" aria-label={`${t("settings.edit")}: ${label.name}`} onClick={() => setEdited(true)}>
              {t("settings.edit")}
            </Button>
          </>
        )
      }
    >
      {isEdited ? (
        <form
          aria-label={label.name}
          onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget);
            const [name, color] = [String(values.get("name")).trim(), String(values.get("color"))];
            void put({
              name: name === "" || name === everywhere?.name ? null : name,
              color: color === everywhere?.color ? null : color,
              hidden: values.get("hidden") !== null,
            });
          }}
          className="flex flex-wrap items-end gap-2"
        >
          <label className="min-w-32 flex-1">
            <span className="mb-1 block text-12 text-soft">{t("field.name")}</span>
            <input name="name" defaultValue={label.name} maxLength={80} ref={focused} className="field w-full" />
          </label>
          <Colour label={t("labels.colour")} value={label.color} />
          <Tick name="hidden" label={t("project.hideLabel")} defaultChecked={label.hidden} />
          <Button look="first" type="submit">
            {t("settings.save")}
          </Button>
          <Button onClick={() => setEdited(false)}>{t("ui.cancel")}</Button>
          {said}
        </form>
      ) : (
        <p className="flex flex-wrap items-center gap-x-2">
          <span
            aria-hidden="true"
            style={{ background: colourOf(label.color) }}
            className="size-3 shrink-0 rounded-full"
          />
          <span className="font-medium break-words">{label.name}</span>
          {override?.name && everywhere && (
            <span className="text-12 text-soft">{t("project.elsewhere", { name: everywhere.name })}</span>
          )}
          {label.hidden && <span className="text-12 text-soft">{t("project.hidden")}</span>}
        </p>
      )}
    </Row>
  );
}
