// Workflow of one Project: its own Statuses beside those of the Workspace, and the target Status for starting, review
// and completion.
import { t } from "../../messages/t.ts";
import { statusesInOrder } from "../../projects/step-order.ts";
import { Link } from "../../router.tsx";
import { useReading } from "../../store/page-query.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import { within } from "../../ui/address.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, Select, SettingsForm, type SettingsValues, Tick } from "../elements/form-elements.tsx";
import { StepList } from "../workflow/steps.tsx";
import type { SectionProps } from "./section-props.ts";

export function ProjectWorkflow({ project, may }: SectionProps) {
  const { store } = useReplica();
  const { ids: shared } = useGroup("status", statusesInOrder, "workspace");
  const { ids: own } = useGroup("status", statusesInOrder, project.id);
  const manages = may("work:manage");
  return (
    <>
      <Block title={t("project.statuses")} lead={t("project.statusesLead")}>
        {own.length === 0 && !manages && <p className="text-soft">{t("project.noStatuses")}</p>}
        <StepList of={{ kind: "status", projectId: project.id }} manages={manages} />
      </Block>
      <Block
        title={t("project.shared")}
        aside={
          <Link to={within("settings/workflow")} className="link">
            {t("project.sharedEdit")}
          </Link>
        }
      >
        <ul className="flex flex-wrap gap-2">
          {shared.map((id) => {
            const status = store.get("status", id);
            return (
              status && (
                <li key={id} className="flex h-7 items-center gap-1.5 rounded-md border border-line px-2">
                  <StatusIcon category={status.category} color={status.color} />
                  {status.name}
                </li>
              )
            );
          })}
        </ul>
      </Block>
      <Completion projectId={project.id} manages={manages} statuses={[...shared, ...own]} />
    </>
  );
}

const goals = ["active", "review", "done"] as const;

function Completion({
  projectId,
  manages,
  statuses,
}: {
  projectId: string;
  manages: boolean;
  statuses: readonly string[];
}) {
  const { api, store } = useReplica();
  const { value, failed, again } = useReading(
    `completion:${projectId}`,
    (client) => client.getCompletionPolicy({ project_id: projectId }),
    { on: /^(?:project|status)/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} rows={4} />;
  async function save(values: SettingsValues) {
    await api.replaceCompletionPolicy(
      {
        project_id: projectId,
        review_required: values.review !== undefined,
        active_status_id: values.active || null,
        review_status_id: values.review_status || null,
        done_status_id: values.done || null,
      },
      { at: value },
    );
    await again();
  }
  const name = (id: string | null) => (id && store.get("status", id)?.name) || t("ui.none");
  return (
    <Block title={t("completion.title")} lead={t("completion.lead")}>
      <SettingsForm
        key={value.revision}
        label={t("completion.title")}
        action={t("settings.save")}
        send={save}
        disabled={!manages}
      >
        <Tick
          name="review"
          label={t("completion.review")}
          help={t("completion.reviewHelp")}
          defaultChecked={value.review_required}
        />
        {goals.map((goal) => (
          <Select
            key={goal}
            name={goal === "review" ? "review_status" : goal}
            label={t(`completion.to.${goal}`)}
            defaultValue={value[`${goal}_status_id`] ?? ""}
            options={[
              ["", t("completion.itself", { name: name(value[`effective_${goal}_status_id`]) })],
              ...statuses.filter((id) => !id.startsWith("new-")).map((id) => [id, name(id)] as const),
            ]}
          />
        ))}
      </SettingsForm>
    </Block>
  );
}
