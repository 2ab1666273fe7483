// Cost of a member's captures: a result set of 1,000 Tasks captured, refreshed and hydrated, compared with reading the
// same Tasks from the list. Sequentially, as one person works.
import type pg from "pg";
import { newId } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import { median } from "./table.ts";

const TIMES = 20;
const PAGES = 10;
interface Captured {
  id: string;
  count: number;
  complete: boolean;
}

/** Milliseconds: the median and the maximum. */
async function timed(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return `${median(times).toFixed(1)} ms (worst ${Math.max(...times).toFixed(1)})`;
}

/** Indexes as many of the Workspace's Tasks as a search by words scans. */
const INDEX = `
select index_search_of(array(select (workspace_id, id)::search_source from tasks where workspace_id = $1 limit 10000),
  '{}')`;

export async function measureNative(client: pg.Client, port: number, data: Data): Promise<void> {
  await client.query(INDEX, [data.workspaceId]);
  const owner = ownerOn(port, data);
  const keep = (path: string, body: object) => owner<Captured>("POST", path, body, { "idempotency-key": newId() });
  const queries = {
    "of a Project": { project_id: data.projectIds[0] },
    "of the Workspace, by title": { assignee_actor_id: "none", sort: "title" },
    "by words": { q: "number 19" },
    "of which few pass": { text: "number 9999", sort: "title" },
  };
  console.log("\nResult sets, one after the other:");
  for (const [name, query] of Object.entries(queries)) {
    const { id, count, complete } = await keep("task-result-sets", { query });
    let version = 1;
    const captured = await timed(() => keep("task-result-sets", { query }));
    const refreshed = await timed(() => keep("task-result-sets", { result_set_id: id, version: version++ }));
    const shown = await timed(() => owner("GET", `task-result-sets/${id}/hydrate?version=1`));
    console.log(
      `  ${name}: ${count} Tasks${complete ? ", all" : ""}; captured in ${captured}, refreshed in ${refreshed}, ` +
        `100 hydrated in ${shown}`,
    );
  }
  const { id } = await keep("task-result-sets", { query: queries["of a Project"] });
  const hydrated = await timed(async () => {
    for (let page = 0; page < PAGES; page++)
      await owner("GET", `task-result-sets/${id}/hydrate?version=1&offset=${page * 100}`);
  });
  const listed = await timed(async () => {
    let cursor = "";
    for (let page = 0; page < PAGES; page++) {
      const path = `tasks?project_id=${data.projectIds[0]}&limit=100${cursor}`;
      const { next_cursor } = await owner<{ next_cursor: string }>("GET", path);
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
  });
  console.log(`  All 1,000 hydrated, in ${PAGES} pages, in ${hydrated}; the same from the list in ${listed}.`);
}
