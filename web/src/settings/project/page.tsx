// Settings of one Project, by section.
import "../../messages/later/settings.ts";
import { lazy } from "react";
import { t } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import { projectPath } from "../../ui/address.ts";
import { Empty } from "../../ui/controls.tsx";
import { Nowhere, Unread } from "../../ui/page.tsx";
import { Sections } from "../sections.tsx";
import { AccessSettings } from "./access.tsx";
import { GeneralSettings } from "./general.tsx";
import { ProjectLabels } from "./labels.tsx";
import type { SectionProps } from "./section-props.ts";
import { ProjectWorkflow } from "./workflow.tsx";

const Integrations = lazy(() => import("../../integrations/project.tsx"));
const IntegrationSettings = ({ project, may }: SectionProps) => (
  <Integrations projectId={project.id} manages={may("work:manage")} />
);

const sections = [
  ["general", GeneralSettings],
  ["access", AccessSettings],
  ["workflow", ProjectWorkflow],
  ["labels", ProjectLabels],
  ["integrations", IntegrationSettings],
] as const;

export default function ProjectSettingsPage({ params }: { params: Readonly<Record<string, string>> }) {
  return (
    <ProjectPage params={params} view="settings">
      {(project) =>
        project.id.startsWith("new-") ? (
          <Empty title={t("project.notYet")} />
        ) : (
          <Inside key={project.id} project={project} section={params.section ?? "general"} />
        )
      }
    </ProjectPage>
  );
}

function Inside({ project, section }: { project: Project; section: string }) {
  const replica = useReplica();
  const { value, failed, again } = useReading(
    `project:${project.id}`,
    async (api) => {
      const found = await api.getProject({ project_id: project.id });
      replica.take({ project: [found as unknown as Project] });
      return found.capabilities;
    },
    { on: /^(?:project|member)/ },
  );
  const Shown = sections.find(([name]) => name === section)?.[1];
  if (!Shown) return <Nowhere />;
  const may: SectionProps["may"] = (what) => value?.includes(what) ?? false;
  return (
    <Sections
      groups={[
        {
          title: t("view.settings"),
          sections: sections.map(([name]) => ({
            to: `${projectPath(project.key, "settings")}${name === "general" ? "" : `/${name}`}`,
            label: t(`project.${name}`),
            isHere: name === section,
          })),
        },
      ]}
    >
      <h2 className="mb-4 text-20 font-semibold">{t(`project.${section as "general"}`)}</h2>
      {value ? (
        <>
          {project.archived_at ? (
            <p className="mb-4 rounded-lg bg-sunken p-3 text-soft">{t("project.archivedLead")}</p>
          ) : (
            !may("project:update") && <p className="mb-4 rounded-lg bg-sunken p-3 text-soft">{t("project.notYours")}</p>
          )}
          <Shown project={project} may={may} />
        </>
      ) : (
        <Unread failed={failed} again={() => void again()} />
      )}
    </Sections>
  );
}
