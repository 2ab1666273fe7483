// Refreshes the completion cache from the service with the current token. It renews no expired token, because
// completion runs without a person's request.
import { keepKnown, knownPlace } from "../../completion/completion-cache.ts";
import { chosenProfile, readProfile } from "../../credentials/profiles.ts";
import { clientAt, openSession } from "../../credentials/session.ts";
import type { Runtime } from "../../runtime.ts";

const PATIENCE_MS = 20_000;
/** Projects whose Statuses are fetched. */
const MOST_PROJECTS = 8;

/** The client and the Workspace to read; undefined if the profile's token has expired. */
async function asking(runtime: Runtime, asked: string | undefined) {
  const { env } = runtime;
  if (env.SVC_TOKEN) {
    const { client, workspaceId } = openSession({ ...runtime, text: () => asked });
    return { client, workspace_id: await workspaceId(), own: false };
  }
  const name = chosenProfile(env, asked);
  const profile = name === undefined ? undefined : readProfile(env, name);
  if (!profile || profile.tokens.expires_at < Date.now()) return undefined;
  return { client: clientAt(profile.url, profile.tokens.access_token), workspace_id: profile.workspace.id, own: true };
}

export async function learn(runtime: Runtime, asked: string | undefined): Promise<void> {
  const { env } = runtime;
  runtime.endAfter(PATIENCE_MS);
  const place = knownPlace(env, asked);
  const who = place && (await asking(runtime, asked));
  if (!place || !who) return;
  const { client, workspace_id, own } = who;
  const [work, recent, projects, documents, workspaces] = await Promise.all([
    client.listCliWork({ limit: 100 }),
    client.listWorkspaceTasks({ workspace_id, limit: 100 }),
    client.listProjects({ workspace_id, limit: 100 }),
    client.listCliDocuments({ limit: 100 }),
    own ? client.listDeveloperWorkspaces({ limit: 100 }) : { items: [] },
  ]);
  const tasks = new Map([...work.items, ...recent.items].map(({ code, title }) => [code, title]));
  // Projects of the caller's Tasks come first.
  const near = new Set([...tasks.keys()].map((code) => code.replace(/-\d+$/, "")));
  const first = projects.items
    .toSorted((one, other) => Number(near.has(other.key)) - Number(near.has(one.key)))
    .slice(0, MOST_PROJECTS);
  const statuses = await Promise.all(
    first.map(async ({ id, key }) => {
      const { items } = await client.listProjectStatuses({ project_id: id, limit: 100 });
      return [key, items.map(({ name }) => name)] as const;
    }),
  );
  // The profile may have been signed out or switched meanwhile.
  if (knownPlace(env, asked)?.of !== place.of) return;
  keepKnown(place.file, {
    of: place.of,
    tasks: [...tasks],
    projects: projects.items.map(({ key, name }) => [key, name]),
    documents: documents.items.map(({ path, title }) => [path, title]),
    workspaces: workspaces.items.map(({ slug, name }) => [slug, name]),
    statuses: Object.fromEntries(statuses),
  });
}
