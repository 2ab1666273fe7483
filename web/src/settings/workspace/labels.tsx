// Labels of the Workspace: name, colour and description. Changes apply optimistically and can be undone.
import { type FormEvent, useState } from "react";
import { has, type Key, t } from "../../messages/t.ts";
import { useGroup, useReplica, useRow } from "../../store/react.ts";
import type { Label } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { colourOf } from "../../ui/colour.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { Block, focused, Row, Rows, useManages, useWrites } from "../elements/form-elements.tsx";

const byOwner: Index<Label> = {
  groups: ({ project_id }) => [project_id ?? "workspace"],
  compare: (one, other) => one.name.localeCompare(other.name),
};
const colours = [...["gray", "red", "orange", "amber", "green", "teal", "cyan", "blue", "indigo", "violet", "pink"]];

export function LabelSettings() {
  const mayWrite = useWrites();
  const manages = useManages();
  return (
    <Block lead={t("labels.lead")}>
      <LabelList projectId={null} mayAdd={mayWrite} manages={manages} />
    </Block>
  );
}

/** Labels of the Workspace, or a Project's own. */
export function LabelList({
  projectId,
  mayAdd,
  manages,
}: {
  projectId: string | null;
  mayAdd: boolean;
  manages: boolean;
}) {
  const replica = useReplica();
  const { ids } = useGroup("label", byOwner, projectId ?? "workspace");
  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get("name")).trim();
    if (name === "") return;
    const color = String(new FormData(form).get("color"));
    if (projectId === null)
      replica.make("createWorkspaceLabel", {
        input: { workspace_id: replica.member.workspaceId, name, color },
        creates: true,
      });
    else replica.make("createProjectLabel", { input: { project_id: projectId, name, color }, creates: true });
    form.reset();
  }
  return (
    <>
      {mayAdd && (
        <form onSubmit={create} aria-label={t("labels.new")} className="mb-4 flex flex-wrap items-end gap-2">
          <label className="min-w-40 flex-1">
            <span className="mb-1 block font-medium">{t("labels.new")}</span>
            <input name="name" required maxLength={80} className="field w-full" />
          </label>
          <Colour label={t("labels.colour")} />
          <Button look="first" type="submit">
            {t("milestone.create")}
          </Button>
        </form>
      )}
      {ids.length === 0 ? (
        <p className="text-soft">{t("labels.none")}</p>
      ) : (
        <Rows label={t("settings.labels")}>
          {ids.map((id) => (
            <LabelRow key={replica.store.first(id)} id={id} manages={manages} />
          ))}
        </Rows>
      )}
    </>
  );
}

export function Colour({ label, value, pick }: { label: string; value?: string; pick?: (colour: string) => void }) {
  const all = value && !colours.includes(value) ? [value, ...colours] : colours;
  return (
    <label>
      <span className={pick ? "sr-only" : "mb-1 block font-medium"}>{label}</span>
      <select
        name="color"
        {...(pick ? { value, onChange: (event) => pick(event.target.value) } : { defaultValue: value })}
        className="field"
      >
        {all.map((each) => (
          <option key={each} value={each}>
            {has(`colour.${each}`) ? t(`colour.${each}` as Key) : each}
          </option>
        ))}
      </select>
    </label>
  );
}

function LabelRow({ id, manages }: { id: string; manages: boolean }) {
  const replica = useReplica();
  const label = useRow("label", id);
  const [isEdited, setEdited] = useState(false);
  if (!label) return null;
  const put = (fields: Partial<Label>) =>
    void replica.make("updateLabel", { ids: [id], input: { label_id: replica.store.real(id), ...fields } });
  const dot = (
    <span aria-hidden="true" style={{ background: colourOf(label.color) }} className="size-3 shrink-0 rounded-full" />
  );
  if (!isEdited)
    return (
      <Row
        tools={
          manages && (
            <>
              <Button look="quiet" aria-label={`${t("settings.edit")}: ${label.name}`} onClick={() => setEdited(true)}>
                {t("settings.edit")}
              </Button>
              <IconButton
                icon="trash"
                label={`${t("milestone.delete")}: ${label.name}`}
                onClick={() =>
                  void replica.make("deleteLabel", { ids: [id], input: { label_id: replica.store.real(id) } })
                }
              />
            </>
          )
        }
      >
        <p className="flex items-center gap-2">
          {dot}
          <span className="font-medium break-words">{label.name}</span>
          <span className="min-w-0 truncate text-soft">{label.description}</span>
        </p>
      </Row>
    );
  return (
    <Row>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const values = new FormData(event.currentTarget);
          const [name, color] = [String(values.get("name")).trim(), String(values.get("color"))];
          const description = String(values.get("description")).trim() || null;
          const fields = {
            ...(name !== label.name && name !== "" && { name }),
            ...(color !== label.color && { color }),
            ...(description !== label.description && { description }),
          };
          if (Object.keys(fields).length > 0) put(fields);
          setEdited(false);
        }}
        aria-label={label.name}
        className="flex flex-wrap items-end gap-2"
      >
        <label className="min-w-32 flex-1">
          <span className="mb-1 block text-12 text-soft">{t("field.name")}</span>
          <input name="name" defaultValue={label.name} maxLength={80} ref={focused} className="field w-full" />
        </label>
        <Colour label={t("labels.colour")} value={label.color} />
        <label className="min-w-48 flex-2">
          <span className="mb-1 block text-12 text-soft">{t("labels.meaning")}</span>
          <input name="description" defaultValue={label.description ?? ""} maxLength={500} className="field w-full" />
        </label>
        <Button look="first" type="submit">
          {t("settings.save")}
        </Button>
        <Button onClick={() => setEdited(false)}>{t("ui.cancel")}</Button>
      </form>
    </Row>
  );
}
