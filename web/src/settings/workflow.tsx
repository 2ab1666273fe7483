// The workflow: the Statuses that Tasks go through, by category. Names, colours and order change at once; what is in a Status is moved to another
// one only after somebody has seen what that changes.
import { type FormEvent, useState } from "react";
import { t } from "../messages/t.ts";
import { useGroup, useReplica, useRow } from "../store/react.ts";
import type { Status } from "../store/rows.ts";
import type { Index } from "../store/sorted.ts";
import { StatusIcon } from "../ui/icons.tsx";
import { Button, IconButton } from "../ui/parts.tsx";
import { Colour } from "./labels.tsx";
import { Mapping } from "./mapping.tsx";
import { Block, focused, NotYours, Row, Rows, useManages } from "./parts.tsx";

const categories = ["backlog", "unstarted", "started", "completed", "cancelled"] as const;
/** Those of the Workspace, by category and place. */
export const inOrder: Index<Status> = {
  groups: ({ project_id, archived_at, category }) =>
    project_id === null && !archived_at ? ["workspace", category] : [],
  compare: (one, other) =>
    categories.indexOf(one.category) - categories.indexOf(other.category) || one.position - other.position,
};

export function WorkflowSettings() {
  const manages = useManages();
  return (
    <>
      {!manages && <NotYours />}
      <Block lead={t("workflow.lead")}>
        {categories.map((category) => (
          <Category key={category} category={category} manages={manages} />
        ))}
      </Block>
      {manages && <Mapping />}
    </>
  );
}

function Category({ category, manages }: { category: Status["category"]; manages: boolean }) {
  const replica = useReplica();
  const { ids } = useGroup("status", inOrder, category);
  const name = t(`category.${category}`);
  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const said = String(new FormData(form).get("name")).trim();
    if (said === "") return;
    replica.make("createWorkspaceStatus", {
      input: { workspace_id: replica.member.workspaceId, name: said, category },
      creates: true,
    });
    form.reset();
  }
  return (
    <section aria-label={name} className="mb-4">
      <h2 className="mb-1 text-12 font-medium text-soft">{name}</h2>
      {ids.length > 0 && (
        <Rows label={name}>
          {ids.map((id, at) => (
            <StatusRow key={id} id={id} ids={ids} at={at} manages={manages} />
          ))}
        </Rows>
      )}
      {manages && (
        <form onSubmit={create} aria-label={t("workflow.add", { category: name })} className="mt-1 flex gap-2">
          <input
            name="name"
            maxLength={60}
            aria-label={t("workflow.add", { category: name })}
            placeholder={t("workflow.new")}
            className="field min-w-0 flex-1"
          />
          <Button type="submit" icon="plus">
            {t("workflow.addShort")}
          </Button>
        </form>
      )}
    </section>
  );
}

function StatusRow({ id, ids, at, manages }: { id: string; ids: readonly string[]; at: number; manages: boolean }) {
  const replica = useReplica();
  const { store } = replica;
  const status = useRow("status", id);
  const [isEdited, setEdited] = useState(false);
  if (!status) return null;
  const input = { status_id: store.real(id) };
  /** Behind another one of its category, or first. */
  function move(to: number) {
    const others = ids.filter((each) => each !== id);
    const after = others[to - 1] ?? null;
    const place = (each: string | undefined) => (each === undefined ? undefined : store.get("status", each)?.position);
    const [before, behind] = [place(others[to - 1]), place(others[to])];
    const position =
      before === undefined ? (behind ?? 1) - 1 : behind === undefined ? before + 1 : (before + behind) / 2;
    replica.make("moveStatus", { ids: [id], input: { ...input, after_id: after }, guess: { position } });
  }
  return (
    <Row
      tools={
        manages &&
        !isEdited && (
          <>
            <IconButton
              icon="up"
              label={`${t("workflow.up")}: ${status.name}`}
              disabled={at === 0}
              onClick={() => move(at - 1)}
            />
            <IconButton
              icon="down"
              label={`${t("workflow.down")}: ${status.name}`}
              disabled={at === ids.length - 1}
              onClick={() => move(at + 1)}
            />
            <Button look="quiet" aria-label={`${t("settings.edit")}: ${status.name}`} onClick={() => setEdited(true)}>
              {t("settings.edit")}
            </Button>
            <IconButton
              icon="trash"
              label={`${t("milestone.delete")}: ${status.name}`}
              onClick={() => void replica.make("deleteStatus", { ids: [id], input })}
            />
          </>
        )
      }
    >
      {isEdited ? (
        <form
          aria-label={status.name}
          onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget);
            const [name, color] = [String(values.get("name")).trim(), String(values.get("color"))];
            const fields = {
              ...(name !== status.name && name !== "" && { name }),
              ...(color !== status.color && { color }),
            };
            if (Object.keys(fields).length > 0)
              replica.make("updateStatus", { ids: [id], input: { ...input, ...fields } });
            setEdited(false);
          }}
          className="flex flex-wrap items-end gap-2"
        >
          <label className="min-w-32 flex-1">
            <span className="mb-1 block text-12 text-soft">{t("field.name")}</span>
            <input name="name" defaultValue={status.name} maxLength={60} ref={focused} className="field w-full" />
          </label>
          <Colour label={t("labels.colour")} value={status.color ?? "gray"} />
          <Button look="first" type="submit">
            {t("settings.save")}
          </Button>
          <Button onClick={() => setEdited(false)}>{t("ui.cancel")}</Button>
        </form>
      ) : (
        <p className="flex items-center gap-2">
          <StatusIcon category={status.category} color={status.color} />
          <span className="font-medium">{status.name}</span>
        </p>
      )}
    </Row>
  );
}
