// Frame of the Project pages: name, tabs for its views, and a notice if the Project does not exist.
import { type ReactNode, useEffect } from "react";
import { t } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { useReplica, useRow, useStore } from "../store/react.ts";
import type { Project } from "../store/rows.ts";
import { type ProjectView, projectPath } from "../ui/address.ts";
import { Skeleton } from "../ui/controls.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Nowhere } from "../ui/page.tsx";
import { ProjectMark } from "./mark.tsx";

export const useProjectByKey = (key: string): Project | undefined =>
  useStore(({ store }) => {
    for (const project of store.all("project")) if (project.key === key.toUpperCase()) return project;
    return undefined;
  });

const views: [view: ProjectView, icon: IconName][] = [
  ["overview", "overview"],
  ["board", "board"],
  ["list", "list"],
  ["timeline", "timeline"],
  ["calendar", "calendar"],
  ["milestones", "flag"],
  ["settings", "settings"],
];

/** Toggles the Project among the member's shortcuts. */
function Star({ id, name }: { id: string; name: string }) {
  const replica = useReplica();
  const workspace_id = replica.member.workspaceId;
  const shortcuts = useRow("shortcuts", workspace_id)?.project_ids;
  if (!shortcuts || id.startsWith("new-")) return null;
  const isKept = shortcuts.includes(id);
  const project_ids = isKept ? shortcuts.filter((each) => each !== id) : [...shortcuts, id];
  return (
    <button
      type="button"
      aria-pressed={isKept}
      aria-label={t("project.star", { name })}
      title={t("project.star", { name })}
      onClick={() =>
        void replica.make("replaceProjectShortcuts", { ids: [workspace_id], input: { workspace_id, project_ids } })
      }
      className="icon-btn aria-pressed:text-accent"
    >
      <Icon name="star" className={`size-3.5 ${isKept ? "[&_path]:fill-current" : ""}`} />
    </button>
  );
}

interface Props {
  params: Readonly<Record<string, string>>;
  view: ProjectView;
  /** Content at the right end of the header. */
  tools?: ReactNode;
  children: (project: Project) => ReactNode;
}
export function ProjectPage({ params, view, tools, children }: Props) {
  const key = params.key ?? "";
  const project = useProjectByKey(key);
  const { search } = useAddress();
  const isKnown = useStore(({ store, member }) => store.get("project_order", member.workspaceId) !== undefined);
  useEffect(() => {
    if (project) document.title = `${project.name} · svc`;
  }, [project]);
  if (!project) return isKnown ? <Nowhere /> : <Skeleton rows={12} />;
  const query = new URLSearchParams(search);
  query.delete("task");
  const tail = query.size > 0 ? `?${query}` : "";
  return (
    <>
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <ProjectMark project={project} />
        <h1 className="min-w-0 truncate text-14 font-semibold">{project.name}</h1>
        {project.visibility === "private" && (
          <span title={t("project.isPrivate")}>
            <Icon name="lock" className="size-3.5 text-soft" />
            <span className="sr-only">{t("project.isPrivate")}</span>
          </span>
        )}
        {project.archived_at && (
          <span className="rounded-full bg-sunken px-2 text-12 text-soft">{t("project.isArchived")}</span>
        )}
        <Star id={project.id} name={project.name} />
        <nav aria-label={project.name} className="flex gap-0.5">
          {views.map(([each, icon]) => (
            <Link
              key={each}
              to={projectPath(project.key, each) + tail}
              aria-current={each === view ? "page" : undefined}
              aria-label={t(`view.${each}`)}
              title={t(`view.${each}`)}
              className="tab"
            >
              <Icon name={icon} className="size-3.5" />
              <span className={each === view ? "hidden sm:inline" : "hidden 2xl:inline"}>{t(`view.${each}`)}</span>
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-1 basis-full flex-wrap items-center gap-1 md:basis-72">{tools}</div>
      </header>
      {children(project)}
    </>
  );
}
