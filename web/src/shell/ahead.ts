// What a first visit asks the service for while the scripts that need it are on their way: the address names the Workspace and the Project. Whoever then
// asks for the same is given that answer, once. It is part of the first script, and imports no library.
import { asksFirst } from "../paths.ts";
import { FIRST_CARDS } from "../store/first.ts";
import { isSignedIn } from "../store/left.ts";
import { openAhead } from "../store/persist.ts";

const API = "/api/v1";
const [ME, WORKSPACES, BASELINE] = asksFirst;
/** Nobody asks for it later than this. */
const KEPT_MS = 10_000;
/** null before and after: nothing is kept then. */
let asked: Map<string, Promise<Response>> | null = null;

/** What nobody has asked for by now is old when somebody does, and so is what is still to be answered. */
export function forgetAhead() {
  asked = null;
}

/** For the client: an answer that is here or on its way, else a request. What was refused is asked for again, and a write makes every answer old. */
export const fetchAhead: typeof fetch = async (url, how) => {
  if (how?.method !== "GET") forgetAhead();
  const known = asked?.get(url as string);
  asked?.delete(url as string);
  const answer = await known?.catch(() => null);
  return answer?.ok ? answer : fetch(url, how);
};

function ask(url: string): Promise<Response> {
  const answering = fetch(url, {
    // As the document's header asks for it: another kind of request would be one more.
    ...({ credentials: "same-origin", redirect: "error" } as const),
    signal: AbortSignal.timeout(KEPT_MS),
    // Read to its end: what nobody reads stays on the way.
  }).then(async (answer) => new Response(await answer.text(), answer));
  asked?.set(url, answering);
  return answering;
}
/** Read here too, beside whoever is given it. */
const read = async <T>(url: string) => (await ask(url)).clone().json() as Promise<T>;

interface Named {
  id: string;
  slug?: string;
  key?: string;
}
/** The addresses are those that session, member, hints and the loading of Workspace and Project ask for; a test holds that none is asked for twice. */
export async function askAhead(slug: string) {
  if (!isSignedIn()) return;
  asked = new Map();
  setTimeout(forgetAhead, KEPT_MS);
  // First where it stands, then what there is (store/hints.ts).
  const [me, { items }] = await Promise.all([
    read<{ workspace_id: string | null; actor_id: string | null }>(ME),
    read<{ items: Named[] }>(WORKSPACES),
    ask(BASELINE),
  ]);
  const workspace = items.find((each) => each.slug === slug);
  // Where the session moves first, what is asked before is about another Workspace.
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
