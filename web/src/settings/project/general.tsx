// General settings of a Project: name, description, icon, colour, dates, state, archiving and deletion.
import { type FormEvent, useState } from "react";
import { t } from "../../messages/t.ts";
import { statesInOrder } from "../../projects/step-order.ts";
import { go } from "../../router.tsx";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import { loadedFact } from "../../tasks/load.ts";
import { within } from "../../ui/address.ts";
import { Button } from "../../ui/controls.tsx";
import { Block, Field, Select } from "../elements/form-elements.tsx";
import { Colour } from "../workspace/labels.tsx";
import type { SectionProps } from "./section-props.ts";

const names = ["name", "description_markdown", "icon", "color", "state_id", "start_date", "target_date"] as const;

export function GeneralSettings({ project, may }: SectionProps) {
  const replica = useReplica();
  const { store } = replica;
  const { ids } = useGroup("project_state", statesInOrder, "workspace");
  const disabled = !may("project:update");
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const fields: Record<string, string | null> = {};
    for (const name of names) {
      const value = String(values.get(name) ?? "").trim() || null;
      const before = project[name] || null;
      if (value !== before && !(name === "name" && value === null)) fields[name] = value;
    }
    if (fields.description_markdown === null) fields.description_markdown = "";
    // A state can be replaced but not removed.
    if (fields.state_id === null) delete fields.state_id;
    if (fields.color === "gray" && project.color === null) delete fields.color;
    change(replica, project, fields);
  }
  return (
    <>
      <Block>
        <form key={project.revision} onSubmit={save} aria-label={t("project.general")}>
          <fieldset disabled={disabled} className="space-y-4">
            <Field name="name" label={t("field.name")} defaultValue={project.name} required maxLength={200} />
            <Field
              label={t("start.key")}
              value={project.key}
              readOnly
              className="read-only:bg-sunken read-only:text-soft"
              help={t("project.keyHelp")}
            />
            <label className="block">
              <span className="mb-1 block font-medium">{t("project.description")}</span>
              <textarea
                name="description_markdown"
                defaultValue={project.description_markdown}
                rows={4}
                className="field h-auto w-full py-1.5"
              />
            </label>
            <div className="flex flex-wrap items-end gap-3">
              <div className="w-40">
                <Field
                  name="icon"
                  label={t("project.icon")}
                  defaultValue={project.icon ?? ""}
                  maxLength={64}
                  placeholder="🚀"
                />
              </div>
              <Colour label={t("labels.colour")} value={project.color ?? "gray"} />
            </div>
            <Select
              name="state_id"
              label={t("field.stage")}
              defaultValue={project.state_id ?? ""}
              options={[
                ...(project.state_id === null ? [["", t("ui.none")] as const] : []),
                ...ids
                  .filter((id) => !id.startsWith("new-"))
                  .map((id) => [id, store.get("project_state", id)?.name ?? ""] as const),
              ]}
            />
            <div className="grid gap-3 sm:grid-cols-2">
              <Field type="date" name="start_date" label={t("task.start")} defaultValue={project.start_date ?? ""} />
              <Field
                type="date"
                name="target_date"
                label={t("milestone.target")}
                defaultValue={project.target_date ?? ""}
              />
            </div>
            {!disabled && (
              <Button look="first" type="submit">
                {t("settings.save")}
              </Button>
            )}
          </fieldset>
        </form>
      </Block>
      {may("project:update") && <Ending project={project} mayDelete={may("project:delete")} />}
    </>
  );
}

export function change(
  replica: ReturnType<typeof useReplica>,
  { id }: Project,
  fields: Readonly<Record<string, unknown>>,
) {
  if (Object.keys(fields).length > 0)
    replica.make("updateProject", { ids: [id], input: { project_id: replica.store.real(id), ...fields } });
}

export function deleteProject(replica: ReturnType<typeof useReplica>, { id }: Project) {
  // After an undo, the Tasks of the Project load again.
  replica.setFact(loadedFact(id), undefined);
  replica.make("deleteProject", { ids: [id], input: { project_id: replica.store.real(id) } });
}

/**
 * Archiving makes the Project read-only and can be reverted; deletion removes it for everybody, and only Undo restores
 * it.
 */
function Ending({ project, mayDelete }: { project: Project; mayDelete: boolean }) {
  const replica = useReplica();
  const [isAsking, setAsking] = useState(false);
  const isArchived = project.archived_at !== null;
  return (
    <>
      <Block title={t("project.archive")} lead={t("project.archiveLead")}>
        <Button onClick={() => change(replica, project, { archived: !isArchived })}>
          {isArchived ? t("project.restore") : t("project.archiveNow")}
        </Button>
      </Block>
      {mayDelete && (
        <Block title={t("project.delete")} lead={t("project.deleteLead", { key: project.key })}>
          {isAsking ? (
            <div className="flex flex-wrap gap-2">
              <Button autoFocus onClick={() => setAsking(false)}>
                {t("ui.cancel")}
              </Button>
              <Button
                look="bad"
                onClick={() => {
                  go(within("settings/projects"));
                  deleteProject(replica, project);
                }}
              >
                {t("project.deleteNow", { name: project.name })}
              </Button>
            </div>
          ) : (
            <Button look="bad" onClick={() => setAsking(true)}>
              {t("project.delete")}
            </Button>
          )}
        </Block>
      )}
    </>
  );
}
