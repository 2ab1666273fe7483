// Steps of a workflow by category: Statuses of the Workspace, Statuses of one Project, or states of Projects. Names,
// colours and order change optimistically. Removing a step that is in use requires a replacement that takes over its
// contents.
import { type FormEvent, useState } from "react";
import { t } from "../../messages/t.ts";
import { type Category, categories, statesInOrder, statusesInOrder } from "../../projects/step-order.ts";
import { useGroup, useReplica, useRow } from "../../store/react.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { focused, Row, Rows, Select, Tick, useAct } from "../elements/form-elements.tsx";
import { Colour } from "../workspace/labels.tsx";

/** Selects steps: their kind, and the Project that owns them (null for the Workspace). */
export interface Steps {
  kind: "status" | "project_state";
  projectId: string | null;
}
const useSteps = ({ kind }: Steps, name: string) =>
  useGroup(kind, (kind === "status" ? statusesInOrder : statesInOrder) as never, name).ids;

export function StepList({ of, manages }: { of: Steps; manages: boolean }) {
  return categories.map((category) => <CategorySection key={category} of={of} category={category} manages={manages} />);
}

function CategorySection({ of, category, manages }: { of: Steps; category: Category; manages: boolean }) {
  const replica = useReplica();
  const ids = useSteps(of, `${of.projectId ?? "workspace"}/${category}`);
  const [isAdding, setAdding] = useState(false);
  const name = t(`category.${category}`);
  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const said = String(new FormData(form).get("name")).trim();
    if (said === "") return;
    const workspace_id = replica.member.workspaceId;
    const fields = { name: said, category };
    if (of.projectId !== null)
      replica.make("createProjectStatus", { input: { project_id: of.projectId, ...fields }, creates: true });
    else
      replica.make(of.kind === "status" ? "createWorkspaceStatus" : "createProjectState", {
        input: { workspace_id, ...fields },
        creates: true,
      });
    form.reset();
  }
  if (ids.length === 0 && !manages) return null;
  const words = t(of.kind === "status" ? "workflow.add" : "states.add", { category: name });
  return (
    <section aria-label={name} className="mb-4">
      <div className="flex h-8 items-center justify-between">
        <h3 className="text-12 font-medium text-soft">{name}</h3>
        {manages && (
          <IconButton icon="plus" label={words} aria-expanded={isAdding} onClick={() => setAdding(!isAdding)} />
        )}
      </div>
      {ids.length === 0 && !isAdding && (
        <p className="rounded-lg border border-dashed border-line px-3 py-2 text-12 text-soft">{t("steps.none")}</p>
      )}
      {ids.length > 0 && (
        <Rows label={name}>
          {ids.map((id, at) => (
            <StepRow key={replica.store.first(id)} of={of} id={id} ids={ids} at={at} manages={manages} />
          ))}
        </Rows>
      )}
      {isAdding && (
        <form
          onSubmit={create}
          onKeyDown={(event) => event.key === "Escape" && setAdding(false)}
          aria-label={words}
          className="mt-1 flex gap-2"
        >
          <input
            name="name"
            maxLength={60}
            aria-label={words}
            placeholder={t(of.kind === "status" ? "workflow.new" : "states.new")}
            ref={focused}
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

interface RowProps {
  of: Steps;
  id: string;
  ids: readonly string[];
  at: number;
  manages: boolean;
}
function StepRow({ of, id, ids, at, manages }: RowProps) {
  const replica = useReplica();
  const { store } = replica;
  const step = useRow(of.kind, id);
  const [open, setOpen] = useState<"edit" | "replace" | null>(null);
  if (!step) return null;
  const { name, category, color } = step;
  const isStatus = of.kind === "status";
  const input = { [isStatus ? "status_id" : "state_id"]: store.real(id) };
  /** Moves a step behind another one of its category, or first. */
  function move(to: number) {
    const others = ids.filter((each) => each !== id);
    const place = (each: string | undefined) => (each === undefined ? undefined : store.get(of.kind, each)?.position);
    const [before, behind] = [place(others[to - 1]), place(others[to])];
    const position =
      before === undefined ? (behind ?? 1) - 1 : behind === undefined ? before + 1 : (before + behind) / 2;
    replica.make(isStatus ? "moveStatus" : "moveProjectState", {
      ids: [id],
      input: { ...input, after_id: others[to - 1] ?? null },
      guess: { position },
    });
  }
  const tools = (
    <>
      <IconButton
        icon="up"
        label={`${t("workflow.up")}: ${name}`}
        disabled={at === 0}
        onClick={() => move(at - 1)}
        className="disabled:opacity-40"
      />
      <IconButton
        icon="down"
        label={`${t("workflow.down")}: ${name}`}
        disabled={at === ids.length - 1}
        onClick={() => move(at + 1)}
        className="disabled:opacity-40"
      />
      <Button look="quiet" aria-label={`${t("settings.edit")}: ${name}`} onClick={() => setOpen("edit")}>
        {t("settings.edit")}
      </Button>
      <Button look="quiet" aria-label={`${t("steps.replace")}: ${name}`} onClick={() => setOpen("replace")}>
        {t("steps.replace")}
      </Button>
      <IconButton
        icon="trash"
        label={`${t("milestone.delete")}: ${name}`}
        onClick={() => void replica.make(isStatus ? "deleteStatus" : "deleteProjectState", { ids: [id], input })}
      />
    </>
  );
  return (
    <Row tools={manages && open === null && tools}>
      {open === "edit" ? (
        <form
          aria-label={name}
          onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget);
            const [said, chosen] = [String(values.get("name")).trim(), String(values.get("color"))];
            const fields = {
              ...(said !== name && said !== "" && { name: said }),
              ...(chosen !== (color ?? "gray") && { color: chosen }),
            };
            if (Object.keys(fields).length > 0)
              replica.make(isStatus ? "updateStatus" : "updateProjectState", {
                ids: [id],
                input: { ...input, ...fields },
              });
            setOpen(null);
          }}
          className="flex flex-wrap items-end gap-2"
        >
          <label className="min-w-32 flex-1">
            <span className="mb-1 block text-12 text-soft">{t("field.name")}</span>
            <input name="name" defaultValue={name} maxLength={60} ref={focused} className="field w-full" />
          </label>
          <Colour label={t("labels.colour")} value={color ?? "gray"} />
          <Button look="first" type="submit">
            {t("settings.save")}
          </Button>
          <Button onClick={() => setOpen(null)}>{t("ui.cancel")}</Button>
        </form>
      ) : (
        <p className="flex items-center gap-2">
          <StatusIcon category={category} color={color} />
          <span className="font-medium break-words">{name}</span>
        </p>
      )}
      {open === "replace" && <Replace of={of} id={store.real(id)} close={() => setOpen(null)} />}
    </Row>
  );
}

/**
 * Moves the contents of a step to another one and removes the step. It cannot be undone, so it is sent at once without
 * the queue.
 */
function Replace({ of, id, close }: { of: Steps; id: string; close: () => void }) {
  const { api, store, take } = useReplica();
  const { act, busy, said } = useAct();
  const own = useSteps(of, of.projectId ?? "workspace");
  const everywhere = useSteps(of, "workspace");
  const [target, setTarget] = useState("");
  const [isSeen, setSeen] = useState(false);
  const others = [...new Set([...own, ...everywhere])].filter((each) => each !== id && !each.startsWith("new-"));
  const replace = () =>
    act(async () => {
      const fields = { replacement_id: target, ...(isSeen && { acknowledged: true }) };
      if (of.kind === "status") take({ status: [await api.archiveStatus({ status_id: id, ...fields })] });
      else take({ project_state: [await api.archiveProjectState({ state_id: id, ...fields })] });
    });
  return (
    <div className="mt-2 space-y-2 rounded-lg bg-sunken p-3">
      <Select
        label={t("steps.replaceBy")}
        value={target}
        onChange={(event) => setTarget(event.target.value)}
        options={[
          ["", t("mapping.choose")],
          ...others.map((each) => [each, store.get(of.kind, each)?.name ?? ""] as const),
        ]}
      />
      <Tick label={t("mapping.acknowledge")} checked={isSeen} onChange={(event) => setSeen(event.target.checked)} />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="bad" disabled={target === ""} aria-disabled={busy || undefined} onClick={() => void replace()}>
          {t("steps.replaceNow")}
        </Button>
        <Button onClick={close}>{t("ui.cancel")}</Button>
        {said}
      </div>
    </div>
  );
}
