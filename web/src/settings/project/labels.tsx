// Labels of a Project: its own, and its overrides for labels of the Workspace (name, colour, hidden).
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { loadParts, partId } from "../../projects/members-and-labels.ts";
import { allOf } from "../../projects/operations.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica, useRow } from "../../store/react.ts";
import { bringLabels } from "../../tasks/load.ts";
import { colourOf } from "../../ui/colour.ts";
import { Button } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, focused, Row, Rows, Tick } from "../elements/form-elements.tsx";
import { Colour, LabelList } from "../workspace/labels.tsx";
import type { SectionProps } from "./section-props.ts";

type Label = Awaited<ReturnType<Operations["listProjectLabels"]>>["items"][number];

export function ProjectLabels({ project, may }: SectionProps) {
  const replica = useReplica();
  const manages = may("work:manage");
  const { value, failed, again } = useReading(
    `project-labels:${project.id}`,
    async (api) => {
      const project_id = project.id;
      const [labels] = await Promise.all([
        allOf(api.listProjectLabels({ project_id, include_hidden: true, limit: 100 })),
        loadParts(replica, "label_override", project_id),
      ]);
      bringLabels(replica, project_id, labels);
      return labels.filter((label) => label.project_id === null);
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
        ) : value.length === 0 ? (
          <p className="text-soft">{t("labels.none")}</p>
        ) : (
          <Rows label={t("project.sharedLabels")}>
            {value.map((label) => (
              <SharedLabel key={label.id} projectId={project.id} listed={label} manages={manages} />
            ))}
          </Rows>
        )}
      </Block>
    </>
  );
}

interface Props {
  projectId: string;
  listed: Label;
  manages: boolean;
}
function SharedLabel({ projectId: project_id, listed, manages }: Props) {
  const replica = useReplica();
  const [isEdited, setEdited] = useState(false);
  const { id: label_id } = listed;
  const id = partId(project_id, label_id);
  const override = useRow("label_override", id);
  const everywhere = useRow("label", label_id);
  const label = {
    name: override?.name ?? everywhere?.name ?? listed.name,
    color: override?.color ?? everywhere?.color ?? listed.color,
    hidden: override?.hidden ?? false,
  };
  const put = (fields: { name: string | null; color: string | null; hidden: boolean }) => {
    replica.make("replaceLabelOverride", { ids: [id], input: { project_id, label_id, ...fields } });
    setEdited(false);
  };
  const back = () => replica.make("deleteLabelOverride", { ids: [id], input: { project_id, label_id } });
  return (
    <Row
      tools={
        manages &&
        !isEdited && (
          <>
            {override && (
              <Button look="quiet" aria-label={`${t("project.asEverywhere")}: ${label.name}`} onClick={back}>
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
            put({
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
