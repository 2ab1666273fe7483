// The profile of an Agent, readable before somebody delegates work to it: its permissions, who is responsible for it,
// and its recent runs.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";
import { definitionRead, definitionStates } from "./definitions.ts";

export const MOST_VERSIONS_SHOWN = 20;
const count = Type.Integer({ minimum: 0 });

export const AgentProfile = object({
  definition_id: Id,
  ...definitionRead,
  version: {
    ...Type.Integer(),
    description: "Newest published version, otherwise the draft; the profile shows this version.",
  },
  state: Type.Enum([...definitionStates]),
  agent_id: { ...nullable(Id), description: "Agent of the definition; null: the Workspace has not enabled it." },
  agent_state: nullable(Type.Enum(["active", "paused", "quarantined"])),
  actor_id: nullable(Id),
  username: nullable(Type.String()),
  changes_work: Type.Boolean({ description: "Whether one of its tools changes something or proposes changes." }),
  open_task_count: {
    ...count,
    description: "Number of open Tasks that you see and that are assigned to it, 100 at most.",
  },
  runs_in_30_days: count,
  versions: Type.Array(object({ version: Type.Integer(), published_at: Timestamp, published_by_actor_id: Id }), {
    maxItems: MOST_VERSIONS_SHOWN,
    description: `Newest ${MOST_VERSIONS_SHOWN} published versions.`,
  }),
});

export const getAgentProfile = op(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/profile",
  "Read the profile of an Agent",
  { auth: [S], include: ["people"], returns: AgentProfile },
);
