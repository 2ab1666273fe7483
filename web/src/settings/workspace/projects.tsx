// Projects of the Workspace: reorder, open, and restore or delete archived ones.
import { t } from "../../messages/t.ts";
import { ProjectMark } from "../../projects/mark.tsx";
import { go, Link } from "../../router.tsx";
import { useHome } from "../../store/current-member.ts";
import { useGroup, useReplica, useRow } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { projectPath, within } from "../../ui/address.ts";
import { Button } from "../../ui/controls.tsx";
import { momentText } from "../../ui/formats/dates.ts";
import { Block, Row, Rows, Sure, useManages, useWrites } from "../elements/form-elements.tsx";
import { change, deleteProject } from "../project/general.tsx";

const byEnd: Index<Project> = {
  groups: ({ archived_at }) => [archived_at ? "archived" : "living"],
  compare: (one, other) => one.name.localeCompare(other.name),
};

export function ProjectsSettings() {
  const mayWrite = useWrites();
  const living = useGroup("project", byEnd, "living").ids;
  const archived = useGroup("project", byEnd, "archived").ids;
  return (
    <>
      <Block
        title={t("projects.all")}
        lead={t("projects.lead")}
        aside={
          mayWrite && (
            <Button icon="plus" onClick={() => go(within("start"))}>
              {t("shell.newProject")}
            </Button>
          )
        }
      >
        {living.length === 0 ? (
          <p className="text-soft">{t("projects.none")}</p>
        ) : (
          <Rows label={t("projects.all")}>
            {living.map((id) => (
              <ProjectRow key={id} id={id} />
            ))}
          </Rows>
        )}
      </Block>
      <Block title={t("projects.archived")}>
        {archived.length === 0 ? (
          <p className="text-soft">{t("projects.noneArchived")}</p>
        ) : (
          <Rows label={t("projects.archived")}>
            {archived.map((id) => (
              <ProjectRow key={id} id={id} />
            ))}
          </Rows>
        )}
      </Block>
    </>
  );
}

function ProjectRow({ id }: { id: string }) {
  const replica = useReplica();
  const home = useHome();
  const manages = useManages();
  const project = useRow("project", id);
  const state = useRow("project_state", project?.state_id);
  if (!project) return null;
  const { name, key, archived_at, visibility, public_id } = project;
  const about = [
    key,
    state?.name,
    visibility === "private" && t("project.isPrivate"),
    public_id && t("project.isPublished"),
    archived_at && t("projects.since", { when: momentText(archived_at, home?.locale, home?.timezone) }),
  ].filter(Boolean);
  return (
    <Row
      tools={
        archived_at ? (
          manages && (
            <>
              <Button
                look="quiet"
                aria-label={`${t("project.restore")}: ${name}`}
                onClick={() => change(replica, project, { archived: false })}
              >
                {t("project.restore")}
              </Button>
              <Sure label={t("milestone.delete")} name={name} run={async () => deleteProject(replica, project)} />
            </>
          )
        ) : (
          <Link
            to={projectPath(key, "settings")}
            aria-label={`${t("view.settings")}: ${name}`}
            className="btn btn-quiet"
          >
            {t("view.settings")}
          </Link>
        )
      }
    >
      <Link to={projectPath(key)} className="flex min-w-0 items-center gap-2 font-medium">
        <ProjectMark project={project} />
        <span className="min-w-0 truncate">{name}</span>
      </Link>
      <p className="text-12 text-soft">{about.join(" · ")}</p>
    </Row>
  );
}
