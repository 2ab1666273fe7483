// Fills Workspaces with Documents for the benchmark, by SQL: each is a short text below one parent, with its revision
// and its search entry.
import type pg from "pg";
import { newId } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";

const id = "uuidv7()";
const WORDS = ["harbour", "lantern", "meadow", "orchard", "pebble", "quarry", "ribbon", "saddle", "timber", "velvet"];
const word = (of: string) => `(array['${WORDS.join("','")}'])[1 + (${of}) % ${WORDS.length}]`;
/** $1 Workspace, $2 author, $3 parent, $4 number of Documents. */
const PARENT = `
insert into documents (workspace_id, id, depth, title, slug, path, position, created_by_actor_id)
values ($1, $3::uuid, 1, 'Handbook', 'handbook-' || $3::uuid, 'handbook-' || $3::uuid, 0, $2)`;
const CHILDREN = `
insert into documents (workspace_id, id, parent_id, depth, title, slug, path, position, created_by_actor_id)
select $1, ${id}, $3::uuid, 2, initcap(${word("n")}) || ' ' || ${word("n / 10")} || ' ' || n, 'd-' || n,
  'handbook-' || $3::uuid || '/d-' || n, n * 1024, $2
from generate_series(1, $4::int) n`;
const REVISIONS = `
insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
  author_actor_ids, size)
select $1, d.id, 1, jsonb_build_object('type', 'doc', 'content',
  jsonb_build_array(jsonb_build_object('type', 'paragraph', 'content',
  jsonb_build_array(jsonb_build_object('type', 'text', 'text', d.title))))), d.title, d.title, 'write', array[$2::uuid],
  length(d.title)
from documents d where d.workspace_id = $1 and (d.id = $3 or d.parent_id = $3)`;
const INDEXED = `
select index_search_documents_of(array(select (workspace_id, id)::search_source from documents
  where workspace_id = $1 and parent_id = $2))`;

export interface FilledDocuments {
  parentId: string;
  ids: string[];
}
export async function fillDocuments(client: pg.Client, data: Data, count: number): Promise<FilledDocuments> {
  const [parentId, author] = [newId(), data.people[0]?.actorId];
  const { workspaceId } = data;
  await client.query(PARENT, [workspaceId, author, parentId]);
  await client.query(CHILDREN, [workspaceId, author, parentId, count]);
  await client.query(REVISIONS, [workspaceId, author, parentId]);
  await client.query(INDEXED, [workspaceId, parentId]);
  const { rows } = await client.query(
    "select id from documents where workspace_id = $1 and parent_id = $2 order by position limit 1000",
    [workspaceId, parentId],
  );
  return { parentId, ids: rows.map((row) => row.id) };
}

const SENTENCES = [
  "The *harbour* opens at seven, and **nobody** waits for the tide; see [the plan](https://example.com/plan).",
  "Run `npm test` before you begin, and write down what you have found.",
  "- the first point of three\n- the second, with some more words in it\n- the last one",
  "## What to do next",
  "> A quotation that goes on for a while, as quotations do.",
  "| what | when |\n| --- | --- |\n| lanterns | Monday |\n| pebbles | Tuesday |",
  "1. One thing after the other\n2. And another one",
];
/**
 * Realistic Markdown in canonical form, of the given length. Plain letters: a character is a byte. The first eight
 * characters may be replaced by any digits.
 */
export function markdownOf(characters: number): string {
  let text = "00000000\n\n";
  for (let at = 0; ; at++) {
    const next = `${SENTENCES[at % SENTENCES.length]}\n\n`;
    if (text.length + next.length > characters) return text + "x".repeat(characters - text.length);
    text += next;
  }
}
