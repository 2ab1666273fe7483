// What tests of the knowledge repository stand on: a Workspace that is connected with a repository on the test's own
// Git server, and runs that are waited for.
import { afterAll, beforeAll, expect } from "vitest";
import { lastPart } from "../src/knowledge/repository/files/front-matter.ts";
import { egressTo } from "../src/platform/outside/egress.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { newId } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { eventually } from "./eventually.ts";
import { cloneOf, type GitServer, startGitServer } from "./git-server.ts";
import { service, type TestService, type World, world } from "./world.ts";

export interface Connected extends World {
  url: string;
  clone: ReturnType<typeof cloneOf>;
  /** The path of the connection. */
  at: string;
  run(kind?: "sync" | "import", body?: object): Promise<Answer["body"]>;
  conflicts(): Promise<Answer["body"][]>;
  resolve(id: string, body: object): Promise<Answer>;
  document(title: string, more?: object, markdown?: string): Promise<{ id: string }>;
  write(id: string, markdown: string): Promise<void>;
  patch(id: string, body: object): Promise<Answer>;
  read(id: string): Promise<{
    title: string;
    markdown: string;
    parent_id: string | null;
    trashed_at: string | null;
    path: string;
    labels: string[];
  }>;
  /** Every Document that is not in the trash, by title. */
  titles(): Promise<string[]>;
  find(title: string): Promise<string>;
}

/** Commits start no run: the position in the journal is past every event. */
const STAND_STILL = `
create function stand_still() returns trigger language plpgsql as $$
begin
  new.followed_epoch := journal_epoch();
  new.followed_tx := '18446744073709551615';
  return new;
end $$;
create trigger stand_still before insert or
  update on knowledge_repositories for each row execute function stand_still();`;

/**
 * For one test file: a Git server, a service that reaches it, and Workspaces with a repository of their own. Runs start
 * when a test requests them; `exports`: also when a commit changes what is exported.
 */
export async function repositories(config: Partial<Config> = { roles: ["api", "worker"] }, { exports = false } = {}) {
  const server = await startGitServer();
  const running = service(config, { egress: egressTo({ allow: [server.origin] }) });
  beforeAll(async () => {
    if (!exports) await running.asOwner(STAND_STILL);
  });
  const places: Connected[] = [];
  afterAll(async () => {
    for (const { clone } of places) clone.remove();
    await server.close();
  });
  const connect = async (settings: object = {}) => {
    const place = await connected(running, server, settings);
    places.push(place);
    return place;
  };
  return { server, running, connect };
}

async function connected(running: TestService, server: GitServer, settings: object = {}): Promise<Connected> {
  const place = await world(running);
  const { owner, workspaceId } = place;
  const url = server.create();
  const at = `/workspaces/${workspaceId}/knowledge-repository`;
  const must = async (answer: Promise<Answer>, status: number) => {
    const { status: found, body, text } = await answer;
    expect(found, text).toBe(status);
    return body;
  };
  await must(owner.call("PUT", at, { body: { url, credential: "a-token", ...settings } }), 200);
  const list = async () =>
    (await must(owner.call("GET", `/workspaces/${workspaceId}/documents?limit=100`), 200)).items as Answer["body"][];
  const self: Connected = {
    ...place,
    url,
    at,
    clone: cloneOf(server, url),
    async run(kind = "sync", body = {}) {
      const asked = await must(
        owner.call("POST", `${at}/${kind}`, kind === "sync" ? { body, key: newId() } : { key: newId() }),
        202,
      );
      return eventually(async () => {
        const { items } = await must(owner.call("GET", `${at}/runs?limit=5`), 200);
        const found = items.find(({ id }: { id: string }) => id === asked.id);
        expect(found, "the run that was asked for").toMatchObject({ finished_at: expect.any(String) });
        return found;
      }, 75);
    },
    conflicts: async () => (await must(owner.call("GET", `${at}/conflicts`), 200)).items,
    resolve: (id, body) => owner.call("POST", `${at}/conflicts/${id}/resolve`, { body, key: newId() }),
    async document(title, more = {}, markdown) {
      const made = await must(
        owner.call("POST", `/workspaces/${workspaceId}/documents`, { body: { title, ...more } }),
        201,
      );
      if (markdown !== undefined) await self.write(made.id, markdown);
      return made;
    },
    async write(id, markdown) {
      const { content_revision } = await must(owner.call("GET", `/documents/${id}/markdown`), 200);
      await must(
        owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ifMatch: content_revision }),
        200,
      );
    },
    async patch(id, body) {
      const { revision } = await must(owner.call("GET", `/documents/${id}`), 200);
      return owner.call("PATCH", `/documents/${id}`, { body, ifMatch: revision });
    },
    async read(id) {
      const [document, content] = await Promise.all([
        owner.call("GET", `/documents/${id}`),
        owner.call("GET", `/documents/${id}/markdown`),
      ]);
      return { ...document.body, markdown: lastPart(content.body.markdown) };
    },
    titles: async () => (await list()).map(({ title }) => title as string).sort(),
    find: async (title) => (await list()).find((each) => each.title === title).id,
  };
  return self;
}
