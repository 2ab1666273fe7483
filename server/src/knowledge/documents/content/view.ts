// Revisions on the wire. A query gives the revision as r.
import { nameOfActor } from "../../../accounts/workspaces/people-view.ts";

const authors = `(select json_agg(json_build_object('actor_id', w.id, 'display_name', a.display_name,
  'username', a.username, 'picture_url', a.picture_url) order by w.place)
  from unnest(r.author_actor_ids) with ordinality w(id, place) cross join lateral (${nameOfActor("w.id")}) a)`;
const fields = `'document_id', r.document_id, 'revision', r.revision::text, 'reason', r.reason, 'authors',
  coalesce(${authors}, '[]'), 'size', r.size, 'created_at', wire_time(r.created_at)`;

export const revisionView = `json_build_object(${fields})::text`;
/** A revision with its content. */
export const fullRevisionView = `json_build_object(${fields}, 'content', r.content, 'markdown', r.markdown)::text`;
