// Milestones of a Project by target date, with description, progress and burn-up.
import { type FormEvent, useState } from "react";
import { t } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { useMayWrite } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Milestone, Project } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { Button, Empty } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { useProject } from "../project.tsx";
import { MilestoneCard, type Stage } from "./milestone.tsx";

/** Sorts by target date; Milestones without one come last. */
export const byTarget: Index<Milestone> = {
  groups: ({ project_id }) => [project_id],
  compare: (one, other) =>
    (one.target_date ?? "~") < (other.target_date ?? "~")
      ? -1
      : (one.target_date ?? "~") > (other.target_date ?? "~")
        ? 1
        : 0,
};

export default function MilestonesPage({ params }: { params: Readonly<Record<string, string>> }) {
  useProject(params.key ?? "");
  return (
    <ProjectPage params={params} view="milestones">
      {(project) => <Milestones key={project.id} project={project} />}
    </ProjectPage>
  );
}

const KINDS = /^(?:task|milestone)/;

function Milestones({ project }: { project: Project }) {
  const replica = useReplica();
  const mayWrite = useMayWrite();
  const { ids } = useGroup("milestone", byTarget, project.id);
  const isMade = !project.id.startsWith("new-");
  const { value, failed, again } = useReading(
    isMade ? `milestones:${project.id}` : null,
    async (api) => {
      const before = new Set(ids);
      const { items, has_more } = await api.listMilestones({ project_id: project.id, limit: 100 });
      for (const { id } of items) before.delete(id);
      const gone = has_more ? [] : [...before].filter((id) => !id.startsWith("new-"));
      replica.take({ milestone: items, gone: { milestone: gone } });
      return true;
    },
    { on: KINDS },
  );
  const stages = useReading<Stage[]>(
    "milestone-stages",
    async (api) =>
      (await api.getMilestoneLifecycle({ workspace_id: replica.member.workspaceId })).stages.map(
        ({ id, name, category, color }) => ({ id, name, category, color }),
      ),
    { keep: true },
  ).value;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-4xl space-y-3 p-4 sm:p-6">
        {mayWrite && <NewMilestone project={project} />}
        {ids.length === 0 &&
          (value || !isMade ? (
            <Empty title={t("milestone.empty")}>{t("milestone.emptyHelp")}</Empty>
          ) : (
            <Unread failed={failed} again={() => void again()} rows={4} />
          ))}
        <ul className="space-y-3">
          {ids.map((id) => (
            <MilestoneCard key={id} id={id} stages={stages ?? []} mayWrite={mayWrite} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function NewMilestone({ project }: { project: Project }) {
  const replica = useReplica();
  const [fault, setFault] = useState(false);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    const name = String(values.get("name")).trim();
    setFault(name === "");
    if (name === "") return form.querySelector<HTMLElement>("[name=name]")?.focus();
    replica.make("createMilestone", {
      input: { project_id: replica.store.real(project.id), name, target_date: String(values.get("target")) || null },
      creates: true,
    });
    form.reset();
    form.querySelector<HTMLElement>("[name=name]")?.focus();
  }
  return (
    <form onSubmit={submit} noValidate aria-label={t("milestone.new")} className="flex flex-wrap items-end gap-2">
      <label className="min-w-48 flex-1">
        <span className="mb-1 block text-12 text-soft">{t("milestone.new")}</span>
        <input name="name" maxLength={200} aria-invalid={fault || undefined} className="field w-full" />
      </label>
      <label>
        <span className="mb-1 block text-12 text-soft">{t("milestone.target")}</span>
        <input type="date" name="target" className="field" />
      </label>
      <Button look="first" type="submit">
        {t("milestone.create")}
      </Button>
    </form>
  );
}
