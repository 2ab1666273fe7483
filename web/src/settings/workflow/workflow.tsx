// Workflow of the Workspace: the Statuses of Tasks in every Project. A migration between Statuses requires a preview
// first.
import { t } from "../../messages/t.ts";
import { Block, NotYours, useManages } from "../elements/form-elements.tsx";
import { Mapping } from "./mapping.tsx";
import { StepList } from "./steps.tsx";

const ofWorkspace = { kind: "status", projectId: null } as const;

export function WorkflowSettings() {
  const manages = useManages();
  return (
    <>
      {!manages && <NotYours />}
      <Block title={t("workflow.title")} lead={t("workflow.lead")}>
        <StepList of={ofWorkspace} manages={manages} />
      </Block>
      {manages && <Mapping />}
    </>
  );
}
