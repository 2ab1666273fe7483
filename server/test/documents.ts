// Documents for tests to stand on, made through the API.
import { newId } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { newKey, type Person, type TestService, type World } from "./world.ts";

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

/** Gives it a new revision of its content, which says this and nothing else. */
export async function say(
  running: TestService,
  { workspaceId, owner }: World,
  id: string,
  text: string,
): Promise<void> {
  await running.sql(
    `with d as (
       update documents set content_revision = content_revision + 1, updated_at = now()
       where workspace_id = $1 and id = $2 returning *
     ), said as (
       insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
         author_actor_ids, size)
       select $1, $2, d.content_revision, '{"type": "doc", "content": [{"type": "paragraph"}]}', $3, $3, 'write',
         array[$4::uuid], length($3) from d
     )
     insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id,
       resource_kind, resource_id, payload)
     select $1, $5, 'document.content_updated', 'document', $4, 'session', $5, d.project_id, 'document', $2, '{}'
     from d`,
    [workspaceId, id, text, owner.actorId, newId()],
    workspaceId,
  );
}
