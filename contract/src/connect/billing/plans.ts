// The plans and their limits, defined only here. Each start of the service writes them to the database, whose functions
// enforce every limit (server/migrations/0048_billing.sql). Without a billing provider no limit applies.
import Type from "typebox";
import { nullable, object } from "../../types.ts";

/** Features that a plan either includes or lacks. */
export const planFeatures = ["workspace_knowledge", "discuss", "unlimited_knowledge_credits"] as const;

export interface Plan {
  name: string;
  /** null: one per paid seat. */
  members: number | null;
  /** In bytes; null: unlimited. */
  storage: number | null;
  /** null: unlimited. */
  agents: number | null;
  features: readonly (typeof planFeatures)[number][];
}
const GIBIBYTE = 1024 ** 3;
export const plans = {
  free: { name: "Free", members: 10, storage: GIBIBYTE, agents: 1, features: [] },
  team: {
    name: "Team",
    members: null,
    storage: 250 * GIBIBYTE,
    agents: 20,
    features: ["workspace_knowledge", "discuss"],
  },
  business: { name: "Business", members: null, storage: 2048 * GIBIBYTE, agents: null, features: planFeatures },
} as const satisfies Record<string, Plan>;

export type PlanKey = keyof typeof plans;
export const planKeys = Object.keys(plans) as PlanKey[];
/** Plans that are paid per seat. */
export const paidPlans = ["team", "business"] as const;
export type PaidPlan = (typeof paidPlans)[number];

const most = (description: string) => ({ ...nullable(Type.Integer({ minimum: 0 })), description });
export const Entitlements = object({
  members: most("Maximum number of active members; null: any number, or as many as there are seats."),
  storage: most("Maximum number of bytes of files; null: any number."),
  agents: most("Maximum number of Agents; null: any number."),
  workspace_knowledge: Type.Boolean({ description: "Whether the Workspace has Knowledge." }),
  discuss: Type.Boolean({ description: "Whether its members can talk to the assistant." }),
  unlimited_knowledge_credits: Type.Boolean({ description: "Whether answers of a model cost no credits." }),
});
