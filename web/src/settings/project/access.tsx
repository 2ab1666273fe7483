// Who sees a Project, who is in it with which role, and whether strangers read it.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { allOf } from "../../projects/operations.ts";
import { useReplica } from "../../store/react.ts";
import { useReading } from "../../store/reading.ts";
import type { Project } from "../../store/rows.ts";
import { usePeopleOptions } from "../../tasks/properties.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Unread } from "../../ui/page.tsx";
import { Avatar, Button } from "../../ui/parts.tsx";
import { Picker } from "../../ui/picker.tsx";
import { Block, Row, Rows, Select, Sure, useAct } from "../parts.tsx";
import { change } from "./general.tsx";
import type { Shown } from "./page.tsx";

type Member = Awaited<ReturnType<Operations["listProjectMembers"]>>["items"][number];
const roles = ["lead", "member", "viewer"] as const;

export function AccessSettings({ project, may }: Shown) {
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
  const { api } = useReplica();
  const { act, said } = useAct();
  const people = usePeopleOptions();
  const { value, failed, again } = useReading(
    `project-members:${project.id}`,
    (client) => allOf(client.listProjectMembers({ project_id: project.id, limit: 100 })),
    { on: /^(?:project|member)/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} rows={4} />;
  const inside = new Set(value.map(({ actor_id }) => actor_id));
  const others = people.filter(({ id }) => id !== "nobody" && !inside.has(id));
  return (
    <Block
      title={t("settings.members")}
      lead={t("project.membersLead")}
      aside={
        <span className="flex items-center gap-2">
          {said}
          {manages && others.length > 0 && (
            <Picker
              label={t("project.addMember")}
              options={others}
              className="btn btn-plain"
              pick={(actor_id) =>
                void act(async () => {
                  await api.addProjectMember({ project_id: project.id, actor_id, role: "member" });
                  await again();
                })
              }
            >
              <Icon name="plus" />
              {t("project.addMember")}
            </Picker>
          )}
        </span>
      }
    >
      {value.length === 0 ? (
        <p className="text-soft">{t("project.noMembers")}</p>
      ) : (
        <Rows label={t("settings.members")}>
          {value.map((one) => (
            <MemberRow key={one.id} one={one} manages={manages} changed={again} />
          ))}
        </Rows>
      )}
    </Block>
  );
}

function MemberRow({ one, manages, changed }: { one: Member; manages: boolean; changed: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const name = one.display_name ?? one.username ?? "–";
  const { project_id, actor_id } = one;
  return (
    <Row
      tools={
        <>
          {said}
          {manages ? (
            <select
              aria-label={t("members.roleOf", { name })}
              value={one.role}
              disabled={busy}
              onChange={({ target }) =>
                void act(async () => {
                  const role = target.value as (typeof roles)[number];
                  await api.updateProjectMember({ project_id, actor_id, role }, { at: one });
                  await changed();
                })
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
            <Sure
              label={t("members.remove")}
              name={name}
              run={async () => {
                await api.removeProjectMember({ project_id, actor_id });
                await changed();
              }}
            />
          )}
        </>
      }
    >
      <div className="flex items-center gap-2">
        <Avatar person={{ ...one, id: actor_id }} size={24} />
        <p className="min-w-0 truncate font-medium">
          {name} {actor_id === member.actorId && <span className="font-normal text-soft">{t("members.you")}</span>}
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
