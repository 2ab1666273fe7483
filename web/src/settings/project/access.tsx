// Access settings of a Project: visibility, members with roles, and publication.
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { byProject, loadParts } from "../../projects/members-and-labels.ts";
import { useReading } from "../../store/page-query.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Project, ProjectMember } from "../../store/rows.ts";
import { usePeopleOptions } from "../../tasks/properties.tsx";
import { Avatar, Button } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Picker } from "../../ui/overlays/picker.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, Row, Rows, Select } from "../elements/form-elements.tsx";
import { change } from "./general.tsx";
import type { SectionProps } from "./section-props.ts";

const roles = ["lead", "member", "viewer"] as const;

export function AccessSettings({ project, may }: SectionProps) {
  const replica = useReplica();
  const mayChange = may("project:update");
  return (
    <>
      <Block title={t("project.seenBy")} lead={t("project.seenByLead")}>
        <Select
          label={t("project.visibility")}
          value={project.visibility}
          disabled={!mayChange}
          onChange={(event) => change(replica, project, { visibility: event.target.value })}
          options={[
            ["workspace", t("workspace.everybody")],
            ["private", t("workspace.private")],
          ]}
        />
      </Block>
      <Members project={project} manages={may("work:manage")} />
      <Published project={project} mayChange={mayChange} />
    </>
  );
}

function Members({ project, manages }: { project: Project; manages: boolean }) {
  const replica = useReplica();
  const { store } = replica;
  const people = usePeopleOptions();
  const { value, failed, again } = useReading(
    `project-members:${project.id}`,
    () => loadParts(replica, "project_member", project.id).then(() => true),
    { on: /^(?:project|member)/ },
  );
  const { ids } = useGroup("project_member", byProject, project.id);
  const members = ids.flatMap((id) => store.get("project_member", id) ?? []);
  if (!value && members.length === 0) return <Unread failed={failed} again={() => void again()} rows={4} />;
  const inside = new Set(members.map(({ actor_id }) => actor_id));
  const others = people.filter(({ id }) => id !== "nobody" && !inside.has(id));
  const add = (actor_id: string) => {
    const { display_name = null, username = null, picture_url = null } = store.get("person", actor_id) ?? {};
    replica.make("addProjectMember", {
      input: { project_id: project.id, actor_id, role: "member" },
      guess: { display_name, username, picture_url },
      creates: true,
    });
  };
  return (
    <Block
      title={t("settings.members")}
      lead={t("project.membersLead")}
      aside={
        manages &&
        others.length > 0 && (
          <Picker label={t("project.addMember")} options={others} className="btn btn-plain" pick={add}>
            <Icon name="plus" />
            {t("project.addMember")}
          </Picker>
        )
      }
    >
      {members.length === 0 ? (
        <p className="text-soft">{t("project.noMembers")}</p>
      ) : (
        <Rows label={t("settings.members")}>
          {members.map((one) => (
            <MemberRow key={store.first(one.id)} one={one} manages={manages} />
          ))}
        </Rows>
      )}
    </Block>
  );
}

function MemberRow({ one, manages }: { one: ProjectMember; manages: boolean }) {
  const replica = useReplica();
  const name = one.display_name ?? one.username ?? "–";
  const { id, project_id, actor_id } = one;
  return (
    <Row
      tools={
        <>
          {manages ? (
            <select
              aria-label={t("members.roleOf", { name })}
              value={one.role}
              onChange={({ target }) =>
                replica.make("updateProjectMember", { ids: [id], input: { project_id, actor_id, role: target.value } })
              }
              className="field"
            >
              {roles.map((role) => (
                <option key={role} value={role}>
                  {t(`role.${role}`)}
                </option>
              ))}
            </select>
          ) : (
            <span className="text-12 text-soft">{t(`role.${one.role}`)}</span>
          )}
          {manages && (
            <Button
              look="quiet"
              aria-label={`${t("members.remove")}: ${name}`}
              onClick={() => replica.make("removeProjectMember", { ids: [id], input: { project_id, actor_id } })}
            >
              {t("members.remove")}
            </Button>
          )}
        </>
      }
    >
      <div className="flex items-center gap-2">
        <Avatar person={{ ...one, id: actor_id }} size={24} />
        <p className="min-w-0 truncate font-medium">
          {name}{" "}
          {actor_id === replica.member.actorId && <span className="font-normal text-soft">{t("members.you")}</span>}
        </p>
      </div>
    </Row>
  );
}

function Published({ project, mayChange }: { project: Project; mayChange: boolean }) {
  const replica = useReplica();
  const [isCopied, setCopied] = useState(false);
  const { public_id, visibility } = project;
  const link = public_id && `${location.origin}/p/projects/${public_id}`;
  return (
    <Block title={t("project.published")} lead={t("project.publishedLead")}>
      {link && (
        <p className="mb-2 flex flex-wrap items-center gap-2">
          <a href={link} target="_blank" rel="noreferrer" className="link min-w-0 break-all">
            {link}
          </a>
          <Button look="quiet" onClick={() => void navigator.clipboard.writeText(link).then(() => setCopied(true))}>
            {isCopied ? t("settings.copied") : t("settings.copy")}
          </Button>
        </p>
      )}
      {visibility === "private" ? (
        <p className="text-soft">{t("project.privateNotPublished")}</p>
      ) : (
        mayChange && (
          <Button onClick={() => change(replica, project, { published: !public_id })}>
            {public_id ? t("project.unpublish") : t("project.publish")}
          </Button>
        )
      )}
    </Block>
  );
}
