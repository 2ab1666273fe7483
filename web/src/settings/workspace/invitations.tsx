// Invitations to the Workspace and their states.
import { t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Button } from "../../ui/controls.tsx";
import { momentText } from "../../ui/formats/dates.ts";
import { Unread } from "../../ui/page.tsx";
import {
  Block,
  Field,
  Row,
  Rows,
  Select,
  SettingsForm,
  type SettingsValues,
  Sure,
  useAct,
} from "../elements/form-elements.tsx";

type Role = "admin" | "member" | "viewer";

export function Invitations() {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const home = useHome();
  const { act, said } = useAct();
  const { value, failed, again } = useReading(
    "invitations",
    async (client) => (await client.listInvitations({ workspace_id, limit: 100 })).items,
    { on: /^(?:member|invitation)/ },
  );
  async function invite({ email, role }: SettingsValues) {
    await api.createInvitation({ workspace_id, email: email as string, role: role as Role });
    await again();
  }
  const open = value?.filter(({ state }) => state === "pending" || state === "expired") ?? [];
  return (
    <>
      <Block title={t("members.invite")} lead={t("members.inviteLead")}>
        <SettingsForm label={t("members.invite")} action={t("members.send")} send={invite} once>
          <Field name="email" type="email" label={t("members.email")} required />
          <Select
            name="role"
            label={t("members.role")}
            defaultValue="member"
            options={(["member", "viewer", "admin"] as const).map((role) => [role, t(`role.${role}`)] as const)}
          />
        </SettingsForm>
      </Block>
      {!value && <Unread failed={failed} again={() => void again()} rows={2} />}
      {open.length > 0 && (
        <Block title={t("members.invited")} aside={said}>
          <Rows label={t("members.invited")}>
            {open.map((one) => (
              <Row
                key={one.id}
                tools={
                  <>
                    <Button
                      look="quiet"
                      aria-label={`${t("members.again")}: ${one.email}`}
                      onClick={() =>
                        void act(async () => {
                          await api.resendInvitation({ workspace_id, invitation_id: one.id });
                          await again();
                        })
                      }
                    >
                      {t("members.again")}
                    </Button>
                    {one.state === "pending" && (
                      <Sure
                        label={t("settings.revoke")}
                        name={one.email}
                        run={async () => {
                          await api.revokeInvitation({ workspace_id, invitation_id: one.id });
                          await again();
                        }}
                      />
                    )}
                  </>
                }
              >
                <p className="font-medium break-all">{one.email}</p>
                <p className="text-12 text-soft">
                  {t(`role.${one.role}`)} ·{" "}
                  {one.state === "expired"
                    ? t("members.expired")
                    : t("members.until", { when: momentText(one.expires_at, home?.locale, home?.timezone) })}
                </p>
              </Row>
            ))}
          </Rows>
        </Block>
      )}
    </>
  );
}
