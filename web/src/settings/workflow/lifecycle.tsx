// Lifecycle of Projects and Milestones: the stages of Projects (called states in the API), the initial stage, the
// behaviours of each stage, and the stages of Milestones.
import type { Operations } from "@svc/client";
import { type Key, t } from "../../messages/t.ts";
import { statesInOrder } from "../../projects/step-order.ts";
import { useReading } from "../../store/page-query.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, NotYours, Row, Rows, Select, Tick, useAct, useManages } from "../elements/form-elements.tsx";
import { MilestoneStages } from "./stages.tsx";
import { StepList } from "./steps.tsx";

type Lifecycle = Awaited<ReturnType<Operations["getProjectLifecycle"]>>;
type Behavior = keyof Lifecycle["stages"][number]["behaviors"];
const ofProjects = { kind: "project_state", projectId: null } as const;

export function LifecycleSettings() {
  const { member } = useReplica();
  const manages = useManages();
  const { value, failed, again } = useReading(
    "project-lifecycle",
    (api) => api.getProjectLifecycle({ workspace_id: member.workspaceId }),
    { on: /^project_/ },
  );
  return (
    <>
      {!manages && <NotYours />}
      <Block title={t("states.title")} lead={t("states.lead")}>
        <StepList of={ofProjects} manages={manages} />
      </Block>
      {value ? (
        <>
          <Beginning lifecycle={value} manages={manages} changed={again} />
          <ProjectStages lifecycle={value} manages={manages} changed={again} />
        </>
      ) : (
        <Unread failed={failed} again={() => void again()} rows={4} />
      )}
      <MilestoneStages manages={manages} />
    </>
  );
}

/**
 * A state created meanwhile increments the revision of the lifecycle: an update therefore uses the fresh revision
 * unless the edited part itself has changed.
 */
interface Props {
  lifecycle: Lifecycle;
  manages: boolean;
  changed: () => Promise<void>;
}
function Beginning({ lifecycle, manages, changed }: Props) {
  const { api, member, store } = useReplica();
  const workspace_id = member.workspaceId;
  const { act, busy, said } = useAct();
  const { ids } = useGroup("project_state", statesInOrder, "workspace");
  const begin = (id: string) =>
    act(async () => {
      const now = await api.getProjectLifecycle({ workspace_id });
      const at = now.default_state_id === lifecycle.default_state_id ? now : lifecycle;
      await api.updateProjectLifecycle({ workspace_id, default_state_id: id || null }, { at }).finally(changed);
    });
  return (
    <Block title={t("states.begin")} aside={said}>
      <Select
        label={t("states.beginIn")}
        value={lifecycle.default_state_id ?? ""}
        disabled={!manages || busy}
        onChange={(event) => void begin(event.target.value)}
        options={[
          ["", t("ui.none")],
          ...ids
            .filter((id) => !id.startsWith("new-"))
            .map((id) => [id, store.get("project_state", id)?.name ?? ""] as const),
        ]}
      />
    </Block>
  );
}

/** Behaviours of each Project stage, with a separate switch for each. */
function ProjectStages({ lifecycle, manages, changed }: Props) {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const { act, said } = useAct();
  const turn = (id: string, behavior: Behavior, isOn: boolean) =>
    act(async () => {
      const now = await api.getProjectLifecycle({ workspace_id });
      const revision = ({ stages }: Lifecycle) => stages.find((stage) => stage.id === id)?.revision;
      const at = revision(now) === revision(lifecycle) ? now : lifecycle;
      const stages = [{ id, behaviors: { [behavior]: isOn } }];
      await api.updateProjectLifecycle({ workspace_id, acknowledged: true, stages }, { at }).finally(changed);
    });
  return (
    <Block title={t("states.stages")} lead={t("states.stagesLead")} aside={said}>
      <Rows label={t("states.stages")}>
        {lifecycle.stages.map(({ id, name, category, color, behaviors }) => (
          <Row key={id}>
            <p className="mb-1 flex items-center gap-2 font-medium">
              <StatusIcon category={category} color={color} />
              {name}
            </p>
            <div className="grid gap-x-4 sm:grid-cols-2">
              {(Object.keys(behaviors) as Behavior[]).map((behavior) => (
                <Tick
                  key={behavior}
                  label={t(`behavior.${behavior}` as Key)}
                  aria-label={`${name}: ${t(`behavior.${behavior}` as Key)}`}
                  checked={behaviors[behavior] ?? false}
                  disabled={!manages}
                  onChange={(event) => void turn(id, behavior, event.target.checked)}
                />
              ))}
            </div>
          </Row>
        ))}
      </Rows>
    </Block>
  );
}
