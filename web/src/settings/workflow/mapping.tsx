// Migrates all Tasks of one Status to another: preview, confirmation, progress.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { t, tn } from "../../messages/t.ts";
import { statusesInOrder } from "../../projects/step-order.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import { Button } from "../../ui/controls.tsx";
import { Block, Select, Tick, useAct } from "../elements/form-elements.tsx";

type Preview = Awaited<ReturnType<Operations["previewLifecycleMapping"]>>;
type Job = Awaited<ReturnType<Operations["getLifecycleMigration"]>>;
const POLL_MS = 1500;

export function Mapping() {
  const { api, member, store } = useReplica();
  const workspace_id = member.workspaceId;
  const { ids } = useGroup("status", statusesInOrder, "workspace");
  // No success message: the progress below reports completion.
  const { act, busy, said } = useAct("");
  const [source, setSource] = useState("");
  const [target, setTarget] = useState("");
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isSeen, setSeen] = useState(false);
  const [job, setJob] = useState<Job | null>(null);
  const name = (id: string) => store.get("status", id)?.name ?? "";
  const options = [
    ["", t("mapping.choose")] as const,
    ...ids.filter((id) => !id.startsWith("new-")).map((id) => [id, name(id)] as const),
  ];
  const choose = (set: (id: string) => void) => (id: string) => {
    set(id);
    setPreview(null);
    setJob(null);
    setSeen(false);
  };
  const look = () =>
    act(async () => {
      const { items } = await api.listLifecycleDefinitions({ workspace_id, kind: "task" });
      const [definition] = items as [(typeof items)[number]];
      setPreview(
        await api.previewLifecycleMapping(
          { workspace_id, definition_id: definition.id, mapping: { [source]: target } },
          { at: definition },
        ),
      );
    });
  const apply = (shown: Preview) =>
    act(async () => {
      const { definition_id, source_revision, destination_revisions } = shown;
      setJob(
        await api.applyLifecycleMapping({
          workspace_id,
          definition_id,
          source_revision,
          destination_revisions,
          mapping: { [source]: target },
          ...(shown.acknowledgement_required && { acknowledged: true }),
        }),
      );
      setPreview(null);
    });
  return (
    <Block title={t("mapping.title")} lead={t("mapping.lead")}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={t("mapping.from")}
          value={source}
          onChange={(event) => choose(setSource)(event.target.value)}
          options={options}
        />
        <Select
          label={t("mapping.to")}
          value={target}
          onChange={(event) => choose(setTarget)(event.target.value)}
          options={options.filter(([id]) => id === "" || id !== source)}
        />
      </div>
      <div className="mt-3 flex items-center gap-3">
        <Button
          disabled={!source || !target || source === target}
          aria-disabled={busy || undefined}
          onClick={() => void look()}
        >
          {t("mapping.preview")}
        </Button>
        {said}
      </div>
      {preview && (
        <div className="mt-4 rounded-lg border border-line p-3" data-preview={preview.impact.total}>
          <p className="font-medium">
            {tn("mapping.moves", preview.impact.total, { from: name(source), to: name(target) })}
            {preview.impact.capped && ` ${t("mapping.capped")}`}
          </p>
          {preview.behavior_changes.length > 0 && (
            <ul className="mt-2 list-disc pl-5">
              {preview.behavior_changes.map(({ behavior, after }) => (
                <li key={behavior}>
                  {t(after ? "mapping.begins" : "mapping.ends", { what: t(`behavior.${behavior}`) })}
                </li>
              ))}
            </ul>
          )}
          {preview.acknowledgement_required && (
            <Tick
              label={t("mapping.acknowledge")}
              checked={isSeen}
              onChange={(event) => setSeen(event.target.checked)}
            />
          )}
          <Button
            look="first"
            className="mt-2"
            disabled={preview.acknowledgement_required && !isSeen}
            aria-disabled={busy || undefined}
            onClick={() => void apply(preview)}
          >
            {t("mapping.apply")}
          </Button>
        </div>
      )}
      {job && <Progress job={job} set={setJob} />}
    </Block>
  );
}

/** Progress of the migration job; polls until it ends. */
function Progress({ job, set }: { job: Job; set: (job: Job) => void }) {
  const { api, member } = useReplica();
  const { act, said } = useAct();
  const isOver = job.state === "completed" || job.state === "failed";
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(
      () => api.getLifecycleMigration({ workspace_id: member.workspaceId, job_id: job.id }).then(set, () => {}),
      POLL_MS,
    );
    return () => clearInterval(timer);
  }, [api, member, job.id, isOver, set]);
  const { moved, total, percent } = job.progress;
  return (
    <div role="status" data-job={job.state} className="mt-4 rounded-lg border border-line p-3">
      <p className="mb-2 font-medium">{t(`mapping.${job.state}`)}</p>
      <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-hover">
        <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <p className="mt-1 text-12 text-soft">{t("mapping.progress", { moved, total, percent })}</p>
      {job.state === "failed" && (
        <Button
          className="mt-2"
          onClick={() =>
            void act(async () =>
              set(await api.retryLifecycleMigration({ workspace_id: member.workspaceId, job_id: job.id })),
            )
          }
        >
          {t("ui.again")}
        </Button>
      )}
      {said}
    </div>
  );
}
