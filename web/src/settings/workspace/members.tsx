// Members page of the Workspace: roles and invitations.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Avatar, Button } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, NotYours, Row, Rows, Sure, useAct, useManages } from "../elements/form-elements.tsx";
import { Invitations } from "./invitations.tsx";

export type WorkspaceMember = Awaited<ReturnType<Operations["listMembers"]>>["items"][number];
const roles = ["owner", "admin", "member", "viewer"] as const;

export function MemberSettings() {
  const { member } = useReplica();
  const manages = useManages();
  const [withFormer, setWithFormer] = useState(false);
  const { value, failed, again } = useReading(
    "members",
    async (api) => {
      const found: WorkspaceMember[] = [];
      for await (const each of api.listMembers({ workspace_id: member.workspaceId, limit: 100 })) found.push(each);
      return found;
    },
    { on: /^(?:member|invitation)/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const here = value.filter(({ state }) => state === "active" || state === "suspended");
  const former = value.filter(({ state }) => state !== "active" && state !== "suspended");
  return (
    <>
      {!manages && <NotYours />}
      {manages && <Invitations />}
      <Block title={t("members.here")}>
        <Rows label={t("members.here")}>
          {here.map((each) => (
            <MemberRow key={each.id} one={each} manages={manages} changed={again} />
          ))}
        </Rows>
      </Block>
      {manages && former.length > 0 && (
        <Block
          title={t("members.former")}
          aside={
            <Button look="quiet" aria-expanded={withFormer} onClick={() => setWithFormer(!withFormer)}>
              {withFormer ? t("ui.close") : t("line.show")}
            </Button>
          }
        >
          {withFormer && (
            <Rows label={t("members.former")}>
              {former.map((each) => (
                <FormerRow key={each.id} one={each} changed={again} />
              ))}
            </Rows>
          )}
        </Block>
      )}
    </>
  );
}

interface Props {
  one: WorkspaceMember;
  changed: () => Promise<void>;
}
const nameOf = ({ display_name, username }: WorkspaceMember) => display_name ?? username ?? "–";

function MemberRow({ one, manages, changed }: Props & { manages: boolean }) {
  const { api, member } = useReplica();
  const { act, said, busy } = useAct();
  const isMe = one.actor_id === member.actorId;
  const may = manages && !isMe;
  const place = { workspace_id: member.workspaceId, member_id: one.id };
  const put = (fields: { role?: (typeof roles)[number]; state?: "active" | "suspended" }) =>
    act(async () => {
      await api.updateMember({ ...place, ...fields }, { at: one });
      await changed();
    });
  return (
    <Row
      tools={
        <>
          {said}
          {may ? (
            <select
              aria-label={t("members.roleOf", { name: nameOf(one) })}
              value={one.role}
              disabled={busy}
              onChange={(event) => void put({ role: event.target.value as (typeof roles)[number] })}
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
          {may && (
            <>
              <Button
                look="quiet"
                aria-label={`${one.state === "active" ? t("members.suspend") : t("members.activate")}: ${nameOf(one)}`}
                onClick={() => void put({ state: one.state === "active" ? "suspended" : "active" })}
              >
                {one.state === "active" ? t("members.suspend") : t("members.activate")}
              </Button>
              <Sure
                label={t("members.remove")}
                name={nameOf(one)}
                run={async () => {
                  await api.removeMember(place, { at: one });
                  await changed();
                }}
              />
            </>
          )}
        </>
      }
    >
      <div className="flex items-center gap-2">
        <Avatar person={{ ...one, id: one.actor_id }} size={28} />
        <div className="min-w-0">
          <p className="truncate font-medium">
            {nameOf(one)} {isMe && <span className="font-normal text-soft">{t("members.you")}</span>}
          </p>
          <p className="truncate text-12 text-soft">
            {one.email ?? (one.username && `@${one.username}`)}
            {one.state === "suspended" && ` · ${t("members.suspended")}`}
          </p>
        </div>
      </div>
    </Row>
  );
}

function FormerRow({ one, changed }: Props) {
  const { api, member } = useReplica();
  const { act, said } = useAct();
  return (
    <Row
      tools={
        <>
          {said}
          <Button
            look="quiet"
            aria-label={`${t("members.restore")}: ${nameOf(one)}`}
            onClick={() =>
              void act(async () => {
                await api.restoreMember({ workspace_id: member.workspaceId, user_id: one.user_id });
                await changed();
              })
            }
          >
            {t("members.restore")}
          </Button>
        </>
      }
    >
      {nameOf(one)}
    </Row>
  );
}
