// Prefetches the API responses of a first visit while the scripts load: the address names the Workspace and the
// Project. The first identical request of the client consumes the response. The first script contains this module, so
// it imports no library.
import { asksFirst } from "../paths.ts";
import { FIRST_CARDS } from "../store/first-rows.ts";
import { openAhead } from "../store/persistence.ts";
import { isSignedIn } from "../store/sign-out.ts";

const API = "/api/v1";
const [ME, WORKSPACES, BASELINE] = asksFirst;
/** Lifetime of prefetched responses: no request needs one later. */
const KEPT_MS = 10_000;
/** Prefetched responses by URL; null while prefetching is off. */
let asked: Map<string, Promise<Response>> | null = null;

/** Drops all prefetched responses, pending ones included: those not consumed by now would be outdated. */
export function forgetAhead() {
  asked = null;
}

/**
 * Fetch function of the client: consumes a prefetched response if there is one, else sends the request. Failed
 * prefetches are sent again, and a write drops all prefetched responses.
 */
export const fetchAhead: typeof fetch = async (url, how) => {
  if (how?.method !== "GET") forgetAhead();
  const known = asked?.get(url as string);
  asked?.delete(url as string);
  const answer = await known?.catch(() => null);
  return answer?.ok ? answer : fetch(url, how);
};

function ask(url: string): Promise<Response> {
  const answering = fetch(url, {
    // Same mode as the document's preload header: a different one would cause a second request.
    ...({ credentials: "same-origin", redirect: "error" } as const),
    signal: AbortSignal.timeout(KEPT_MS),
    // Reads the body to its end: an unread body stalls the connection.
  }).then(async (answer) => new Response(await answer.text(), answer));
  asked?.set(url, answering);
  return answering;
}
/** Clones the response, because the client consumes it later. */
const read = async <T>(url: string) => (await ask(url)).clone().json() as Promise<T>;

interface Named {
  id: string;
  slug?: string;
  key?: string;
}
/**
 * Prefetches the requests of session, member, hints, and the loading of Workspace and Project; a test asserts that none
 * is sent twice.
 */
export async function askAhead(slug: string) {
  if (!isSignedIn()) return;
  asked = new Map();
  setTimeout(forgetAhead, KEPT_MS);
  // Reads the baseline cursor before the data, so that no change is missed (store/hints.ts).
  const [me, { items }] = await Promise.all([
    read<{ workspace_id: string | null; actor_id: string | null }>(ME),
    read<{ items: Named[] }>(WORKSPACES),
    ask(BASELINE),
  ]);
  const workspace = items.find((each) => each.slug === slug);
  // The session belongs to another Workspace and must switch first, so the baseline is useless.
  if (workspace === undefined || workspace.id !== me.workspace_id || me.actor_id === null)
    return void asked?.delete(BASELINE);
  if (asked === null) return;
  openAhead({ workspaceId: workspace.id, actorId: me.actor_id });
  const listed = `${API}/workspaces/${workspace.id}/projects`;
  const [projects] = await Promise.all([
    read<{ items: Named[] }>(`${listed}?hidden=true&limit=100`),
    ask(`${listed}?archived=true&limit=100`),
  ]);
  const key = /^\/workspaces\/[^/]+\/projects\/([^/]+)/.exec(location.pathname)?.[1]?.toUpperCase();
  const project = projects.items.find((each) => each.key === key);
  if (asked !== null && project) await ask(`${API}/projects/${project.id}/board?limit=${FIRST_CARDS}&include=counts`);
}
