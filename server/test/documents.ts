// Documents for tests to stand on, made through the API.
import { type Answer, newKey, type Person, type World } from "./world.ts";

export interface MadeDocument {
  id: string;
  revision: string;
  path: string;
  title: string;
  parent_id: string | null;
  project_id: string | null;
  position: number;
  label_ids: string[];
  [field: string]: unknown;
}

export async function newDocument(
  { workspaceId, owner }: World,
  body: object = {},
  person: Person = owner,
): Promise<MadeDocument> {
  const path = `/workspaces/${workspaceId}/documents`;
  const answer = await person.call("POST", path, { body: { title: "Handbook", ...body }, key: newKey() });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

export const readDocument = async (person: Person, id: string): Promise<MadeDocument> => {
  const answer = await person.call("GET", `/documents/${id}`);
  if (answer.status !== 200) throw new Error(`GET /documents/${id} answered ${answer.status} ${answer.text}`);
  return answer.body;
};

/** Whatever its revision is. */
export const any = { headers: { "if-match": "*" } };
export const changeDocument = (person: Person, id: string, body: object): Promise<Answer> =>
  person.call("PATCH", `/documents/${id}`, { body, ...any });

export const byPath = (person: Person, { workspaceId }: World, path: string): Promise<Answer> =>
  person.call("GET", `/workspaces/${workspaceId}/documents/by-path/${path}`);

export const childrenOf = async (person: Person, id: string): Promise<string[]> =>
  (await person.call("GET", `/documents/${id}/children`)).body.items.map((child: { id: string }) => child.id);
