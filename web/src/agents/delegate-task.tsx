// Dialog that delegates a Task to an Agent. It lists the Agents that can be started manually or by assignment in the
// Task's Project. The delegating member owns the run; the assignee does not change.
import "../messages/later/agents.ts";
import "../messages/later/settings.ts";
import { newKey } from "@svc/client";
import { useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { Select, SettingsForm, type SettingsValues } from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import type { Task } from "../store/rows.ts";
import { within } from "../ui/address.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Unread } from "../ui/page.tsx";
import { type Agent, BUT_RUNS } from "./words.ts";

const mayStart = ({ state, trigger_kinds, every_project, project_ids }: Agent, { project_id }: Task) =>
  state === "active" &&
  (trigger_kinds.includes("manual") || trigger_kinds.includes("assignment")) &&
  (every_project || project_ids.includes(project_id));

export default function DelegateTask({ task, close }: { task: Task; close: () => void }) {
  const { api, member } = useReplica();
  const of = { workspace_id: member.workspaceId };
  const { value, failed, again } = useReading("agents to hand to", () => api.listAgents({ ...of, limit: 100 }), {
    on: BUT_RUNS,
  });
  const [handed, setHanded] = useState<Agent | null>(null);
  // Retries reuse the idempotency key until the service answers, so repeated presses delegate the Task once.
  const key = useRef(newKey());
  const agents = value?.items.filter((agent) => mayStart(agent, task)) ?? [];
  async function send({ agent_id, note = "" }: SettingsValues) {
    const agent = agents.find(({ id }) => id === agent_id) as Agent;
    const said = note.trim();
    const what = { ...of, definition_id: agent.definition_id, task_id: task.id, ...(said && { note: said }) };
    await api.delegateTask(what, { key: key.current });
    key.current = newKey();
    setHanded(agent);
  }
  const label = t("panel.delegate");
  return (
    <Dialog label={label} close={close}>
      <div className="p-4">
        <h2 className="mb-1 font-semibold">{label}</h2>
        <p className="mb-3 text-12 text-soft">
          {task.code} {task.title}
        </p>
        {handed ? (
          <p>
            {t("agents.delegated", { name: handed.name })}{" "}
            <Link to={within(`agents/${handed.definition_id}`)} className="link">
              {t("agents.openRuns")}
            </Link>
          </p>
        ) : !value ? (
          <Unread failed={failed} again={() => void again()} />
        ) : agents.length === 0 ? (
          <p>{t("agents.noneToDelegate")}</p>
        ) : (
          <SettingsForm label={label} action={t("agents.handOver")} send={send}>
            <Select label={t("agents.which")} name="agent_id" options={agents.map(({ id, name }) => [id, name])} />
            <label className="block">
              <span className="mb-1 block font-medium">{t("agents.delegateNote")}</span>
              <textarea name="note" maxLength={20_000} rows={3} className="field h-auto w-full py-1.5" />
            </label>
          </SettingsForm>
        )}
      </div>
    </Dialog>
  );
}
