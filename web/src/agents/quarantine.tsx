// Button and form that quarantine an Agent: every run stops at once, and every member can read the reason. Anyone who
// may run the Agent may quarantine it.
import { useState } from "react";
import { t } from "../messages/t.ts";
import { Field, SettingsForm } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import type { Agent } from "./words.ts";

export function Quarantine({ agent, done }: { agent: Agent; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <Button look="bad" onClick={() => setAsked(true)}>
        {t("agents.quarantine")}
      </Button>
    );
  return (
    <div className="w-full rounded-lg border border-bad p-3">
      <p className="mb-3">{t("agents.quarantineHelp")}</p>
      <SettingsForm
        label={t("agents.quarantine")}
        action={t("agents.quarantine")}
        send={async ({ reason }) => {
          await api.quarantineAgent({
            workspace_id: member.workspaceId,
            agent_id: agent.id,
            reason: (reason as string).trim(),
          });
          await done();
        }}
      >
        <Field label={t("agents.reason")} name="reason" required maxLength={500} autoFocus />
      </SettingsForm>
    </div>
  );
}
