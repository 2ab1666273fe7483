// Stages of Milestones, saved as one list. A removed stage names the stage that takes over its Milestones.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { categories } from "../../projects/step-order.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, Row, Rows, SettingsForm } from "../elements/form-elements.tsx";
import { Colour } from "../workspace/labels.tsx";

type Lifecycle = Awaited<ReturnType<Operations["getMilestoneLifecycle"]>>;
type Known = Lifecycle["stages"][number];
interface Draft {
  /** React key of a stage, also of new ones without an id. */
  key: string;
  known: Known | null;
  name: string;
  category: Known["category"];
  color: string;
  replaces: string[];
}
const drafted = ({ stages }: Lifecycle): Draft[] =>
  stages.map((known) => ({
    key: known.id,
    known,
    name: known.name,
    category: known.category,
    color: known.color ?? "gray",
    replaces: [],
  }));
let made = 0;

export function MilestoneStages({ manages }: { manages: boolean }) {
  const { member } = useReplica();
  const { value, failed, again } = useReading(
    "milestone-lifecycle",
    (api) => api.getMilestoneLifecycle({ workspace_id: member.workspaceId }),
    { on: /^milestone_lifecycle/ },
  );
  return (
    <Block title={t("stages.title")} lead={t("stages.lead")}>
      {value ? (
        <Editor key={value.revision} lifecycle={value} manages={manages} changed={again} />
      ) : (
        <Unread failed={failed} again={() => void again()} rows={4} />
      )}
    </Block>
  );
}

interface Props {
  lifecycle: Lifecycle;
  manages: boolean;
  changed: () => Promise<void>;
}
function Editor({ lifecycle, manages, changed }: Props) {
  const { api, member } = useReplica();
  const [drafts, setDrafts] = useState(() => drafted(lifecycle));
  const put = (key: string, fields: Partial<Draft>) =>
    setDrafts(drafts.map((each) => (each.key === key ? { ...each, ...fields } : each)));
  const move = (at: number, by: number) =>
    setDrafts(drafts.toSpliced(at, 1).toSpliced(at + by, 0, drafts[at] as Draft));
  /** Milestones of a removed stage move to the previous one, or to the next if it was the first. */
  const remove = (at: number) => {
    const { known, replaces } = drafts[at] as Draft;
    const gone = [...replaces, ...(known ? [known.id] : [])];
    const heir = at > 0 ? at - 1 : 1;
    setDrafts(
      drafts
        .map((each, place) => (place === heir ? { ...each, replaces: [...each.replaces, ...gone] } : each))
        .toSpliced(at, 1),
    );
  };
  async function save() {
    await api.replaceMilestoneLifecycle(
      {
        workspace_id: member.workspaceId,
        stages: drafts.map(({ known, name, category, color, replaces }) => ({
          name: name.trim(),
          category,
          color,
          ...(known && { id: known.id }),
          // A new category brings its own behaviours.
          ...(known?.category === category && { behaviors: known.behaviors }),
          ...(replaces.length > 0 && { replaces }),
        })),
      },
      { at: lifecycle },
    );
    await changed();
  }
  const nameOf = (id: string) => lifecycle.stages.find((each) => each.id === id)?.name;
  return (
    <SettingsForm label={t("stages.title")} action={t("settings.save")} send={save} disabled={!manages}>
      <Rows label={t("stages.title")}>
        {drafts.map(({ key, name, category, color, replaces }, at) => (
          <Row
            key={key}
            tools={
              manages && (
                <>
                  <IconButton
                    icon="up"
                    label={`${t("workflow.up")}: ${name}`}
                    disabled={at === 0}
                    onClick={() => move(at, -1)}
                    className="disabled:opacity-40"
                  />
                  <IconButton
                    icon="down"
                    label={`${t("workflow.down")}: ${name}`}
                    disabled={at === drafts.length - 1}
                    onClick={() => move(at, 1)}
                    className="disabled:opacity-40"
                  />
                  <IconButton
                    icon="trash"
                    label={`${t("milestone.delete")}: ${name}`}
                    disabled={drafts.length === 1}
                    onClick={() => remove(at)}
                  />
                </>
              )
            }
          >
            <div className="flex flex-wrap items-end gap-2">
              <label className="min-w-32 flex-1">
                <span className="sr-only">{t("field.name")}</span>
                <input
                  value={name}
                  required
                  maxLength={60}
                  onChange={(event) => put(key, { name: event.target.value })}
                  className="field w-full"
                />
              </label>
              <label>
                <span className="sr-only">{t("task.category")}</span>
                <select
                  value={category}
                  onChange={(event) => put(key, { category: event.target.value as Draft["category"] })}
                  className="field"
                >
                  {categories.map((each) => (
                    <option key={each} value={each}>
                      {t(`category.${each}`)}
                    </option>
                  ))}
                </select>
              </label>
              <Colour label={t("labels.colour")} value={color} pick={(chosen) => put(key, { color: chosen })} />
            </div>
            {replaces.length > 0 && (
              <p className="mt-1 text-12 text-soft">
                {t("stages.replaces", { names: replaces.map(nameOf).join(", ") })}
              </p>
            )}
          </Row>
        ))}
      </Rows>
      {manages && (
        <Button
          icon="plus"
          onClick={() => {
            const added = { known: null, name: "", category: "started", color: "gray", replaces: [] } as const;
            setDrafts([...drafts, { ...added, replaces: [], key: `made-${++made}` }]);
          }}
        >
          {t("stages.add")}
        </Button>
      )}
    </SettingsForm>
  );
}
