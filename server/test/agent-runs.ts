// Agents at work, for tests to stand on.
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { newKey, type Person, type World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Row = any;
type Home = Pick<World, "workspaceId">;

export const agentsPath = ({ workspaceId }: Home, rest = "") => `/workspaces/${workspaceId}/agents${rest}`;

/** The ids of those that come with the service. */
export const curatedIds = {
  triage: "0199a000-0000-7000-8000-000000000001",
  dailySummary: "0199a000-0000-7000-8000-000000000002",
  releaseNotes: "0199a000-0000-7000-8000-000000000003",
  overdue: "0199a000-0000-7000-8000-000000000004",
  meetingNotes: "0199a000-0000-7000-8000-000000000005",
};
export async function enabled(person: Person, home: Home, definition_id: string, more: object = {}): Promise<Row> {
  const made = await person.call("POST", agentsPath(home), { body: { definition_id, ...more } });
  expect(made.status, made.text).toBe(201);
  return made.body;
}
const CUSTOM = {
  name: "Helper",
  description: "Helps.",
  instructions: "Help.",
  tools: ["find", "get_task", "list_tasks", "create_task", "update_task", "comment", "propose_changes"],
  triggers: [{ kind: "manual" }, { kind: "mention" }, { kind: "assignment" }],
};
/** One of the Workspace's own, published and enabled by this person. */
export async function custom(person: Person, home: Home, more: object = {}, ofAgent: object = {}): Promise<Row> {
  const path = agentsPath(home, "/studio/definitions");
  const drafted = await person.call("POST", path, { body: { ...CUSTOM, ...more } });
  expect(drafted.status, drafted.text).toBe(201);
  const published = await person.call("PATCH", `${path}/${drafted.body.id}`, {
    body: { state: "published" },
    ifMatch: drafted.body.revision,
  });
  expect(published.status, published.text).toBe(200);
  return enabled(person, home, drafted.body.id, ofAgent);
}

export const runsPath = (home: Home, agent: Row, rest = "") => agentsPath(home, `/${agent.id}/runs${rest}`);
export const start = (person: Person, home: Home, agent: Row, body: object = {}) =>
  person.call("POST", runsPath(home, agent), { body, key: newKey() });
const OPEN = ["queued", "running", "cancel_requested"];
/** As it is when nobody is at work on it any more. */
export const settled = (person: Person, home: Home, agent: Row, id: string, open = OPEN): Promise<Row> =>
  eventually(async () => {
    const { body } = await person.call("GET", runsPath(home, agent, `/${id}`));
    if (open.includes(body.state)) throw new Error(`it is ${body.state}`);
    return body;
  });
export async function ran(person: Person, home: Home, agent: Row, body: object = {}): Promise<Row> {
  const begun = await start(person, home, agent, body);
  expect(begun.status, begun.text).toBe(201);
  return settled(person, home, agent, begun.body.id);
}
export const ofRun = async (
  person: Person,
  home: Home,
  agent: Row,
  run: Row,
  what: "actions" | "outputs",
): Promise<Row[]> => (await person.call("GET", runsPath(home, agent, `/${run.id}/${what}`))).body.items;
export const decide = (
  person: Person,
  home: Home,
  agent: Row,
  action: Row,
  decision = "approve",
  digest = action.approval.digest,
) =>
  person.call(
    "POST",
    runsPath(home, agent, `/${action.run_id}/actions/${action.id}/approvals/${action.approval.id}/decision`),
    {
      body: { digest, decision },
    },
  );
export const runsOf = async (person: Person, home: Home, agent: Row): Promise<Row[]> =>
  (await person.call("GET", runsPath(home, agent))).body.items;
