// ChangeSets for tests to stand on: proposed, reviewed and applied through the API, as a person in a browser session.
import pg from "pg";
import { newKey, type Person, type TestService, type World } from "./world.ts";

/** Fields of what answers list, as far as tests look at them. */
export interface ChangeFields {
  pointer: string;
  code: string;
  before: object | null;
  after: object | null;
  refusal: { code: string } | null;
  change: number;
  kind: string;
  related_task: { id: string };
  markdown: string;
  name: string;
  seconds: number;
  category: string;
}
type Home = Pick<World, "workspaceId">;
interface Named {
  id: string;
  version: number;
  digest: string;
}
export const propose = (person: Person, { workspaceId }: Home, changes: object[], beside: object = {}) =>
  person.call("POST", `/workspaces/${workspaceId}/change-sets`, {
    body: { title: "Tidy up", changes, ...beside },
    key: newKey(),
  });
export const read = async (person: Person, { workspaceId }: Home, { id, version }: Named) =>
  (await person.call("GET", `/workspaces/${workspaceId}/change-sets/${id}?version=${version}`)).body;
export const reviewed = (person: Person, { workspaceId }: Home, { id, version, digest }: Named, decision = "approve") =>
  person.call("POST", `/workspaces/${workspaceId}/change-sets/${id}/review`, { body: { version, digest, decision } });
export const applied = (person: Person, { workspaceId }: Home, { id, version, digest }: Named, key = newKey()) =>
  person.call("POST", `/workspaces/${workspaceId}/change-sets/apply`, {
    body: { change_set_id: id, version, digest },
    key,
  });
/** Proposed and approved. */
export async function approve(person: Person, home: Home, changes: object[], beside: object = {}) {
  const { status, body, text } = await propose(person, home, changes, beside);
  if (status !== 200) throw new Error(`proposing answered ${status} ${text}`);
  const decided = await reviewed(person, home, body);
  if (decided.status !== 200) throw new Error(`approving answered ${decided.status} ${decided.text}`);
  return decided.body;
}
/** With what it was refused, and where. */
export const codes = ({ body }: { body: { code?: string; errors?: { code: string; pointer: string }[] } }) => [
  body.code,
  ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
];
/** Past row-level security and every grant. */
export const adminOf = (running: Pick<TestService, "databaseUrl">) => async (sql: string, values: unknown[]) => {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  return client.query(sql, values).finally(() => client.end());
};
