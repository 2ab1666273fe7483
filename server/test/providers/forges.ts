// GitHub, GitLab and Gitea as far as a test needs them: repositories in memory behind a real HTTP server, spoken of in
// the words of each. What is delivered is made of what stands there, and goes where each sends it: to the webhook that
// was registered, signed with its secret, or to the address of the app.
import { createHmac, generateKeyPairSync } from "node:crypto";
import type { App } from "../../src/platform/settings/apps-config.ts";
import type { Gitea, GitHub } from "./published.ts";
import { type AskedOf, Says, standIn } from "./stand-in.ts";

export interface Somebody {
  id: number;
  login: string;
}
export interface Pull {
  number: number;
  title: string;
  branch: string;
  state: "open" | "closed" | "merged";
  by: Somebody;
  /** Who has merged or closed it; without one, whoever opened it. */
  endedBy?: Somebody | null;
  updated: string;
}
export interface Said {
  id: number;
  number: number;
  text: string;
  by: Somebody;
}
export interface Commit {
  id: string;
  message: string;
  author: string;
}
export interface Repository {
  id: number;
  name: string;
  /** The account that has it, and that the service is connected with. */
  account: Somebody;
  pulls: Map<number, Pull>;
  branches: Set<string>;
  /** Who may write. */
  writers: Somebody[];
  /** Who may see it, of an app's installation; null: everybody. */
  seenBy: Somebody[] | null;
  hooks: { id: number; url: string; secret: string }[];
  /** What is answered in place of registering a webhook. */
  refusesHooks: number | null;
  said: Said[];
  /** What can be read of it by its id. */
  notes: Map<number, Said & { internal?: boolean }>;
}

let last = 1000;
export const someone = (): Somebody => ({ id: ++last, login: `octo-${last}` });
export const nextId = () => ++last;

export type Key = "github" | "gitlab" | "gitea";
const API: Record<Key, string> = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" };
const HOOK_SECRET = "of the app";
type Route = [method: string, path: RegExp, answer: (asked: AskedOf, ...parts: string[]) => unknown];

export async function openForge(key: Key) {
  const repositories: Repository[] = [];
  const people = new Map<number, Somebody>();
  const state = { down: false };
  const server = await standIn({}, (asked) => {
    if (state.down && asked.method === "GET") return new Says(502);
    const path = asked.path.split("?")[0]?.replace(API[key], "") ?? "";
    for (const [method, pattern, answer] of routes) {
      const parts = method === asked.method ? pattern.exec(path) : null;
      if (parts) return answer(asked, ...parts.slice(1).map(decodeURIComponent));
    }
    return undefined;
  });
  const page = (name: string) => `${server.origin}/${name}`;
  const bearer = ({ headers }: AskedOf) => Number(/-(\d+)$/.exec(String(headers.authorization))?.[1]);
  const ownedBy = (id: number) => repositories.filter(({ account }) => account.id === id);
  const named = (name: string) => repositories.find((each) => each.name === name);
  const numbered = (id: string) => repositories.find((each) => String(each.id) === id);
  const user = (asked: AskedOf) => {
    const { id, login } = people.get(bearer(asked)) as Somebody;
    return { id, login, username: login, html_url: page(login), web_url: page(login) };
  };
  const shown = ({ id, name }: Repository) => ({
    ...{ id, full_name: name, path_with_namespace: name, html_url: page(name), web_url: page(name) },
    permissions: { admin: true },
  });
  /** As GitHub and Gitea call it. */
  const pullIn = (repository: Repository, { number, title, branch, state, by, updated }: Pull) =>
    ({
      ...{ number, title, body: "", head: { ref: branch }, base: { repo: { id: repository.id } }, draft: false },
      ...{ state: state === "open" ? "open" : "closed", merged: state === "merged", updated_at: updated },
      ...{ html_url: `${page(repository.name)}/pulls/${number}`, user: by, author_association: "NONE" },
    }) as const satisfies GitHub["pull"] & Omit<Gitea["pull"], "author_association">;
  const whoIs = (who: Somebody | null) => who && { id: who.id, username: who.login };
  const mergeIn = (repository: Repository, { number, title, branch, state, by, endedBy = by, updated }: Pull) => ({
    ...{ iid: number, title, description: null, source_branch: branch, draft: false, updated_at: updated },
    ...{ state: state === "open" ? "opened" : state, author: whoIs(by) },
    ...{
      merge_user: state === "merged" ? whoIs(endedBy) : null,
      closed_by: state === "closed" ? whoIs(endedBy) : null,
    },
    web_url: `${page(repository.name)}/-/merge_requests/${number}`,
  });
  const hooked = ({ id, url }: Repository["hooks"][number]) => ({ id, url, config: { url } });
  const hookIn = (repository: Repository | undefined, url: string, secret: string) => {
    if (!repository || repository.refusesHooks !== null) return new Says(repository?.refusesHooks ?? 404);
    const made = { id: nextId(), url, secret };
    repository.hooks.push(made);
    return hooked(made);
  };
  const saidIn = (repository: Repository | undefined, number: string, text: string, by: Somebody) => {
    const made = { id: nextId(), number: Number(number), text, by };
    repository?.said.push(made);
    return { id: made.id, html_url: `${page(repository?.name ?? "")}#${made.id}` };
  };
  const bodyOf = ({ body }: AskedOf) => body as Record<string, never>;
  const ours = { id: 1, login: "svc" };

  const alike: Route[] = [
    [
      "GET",
      /^\/repos\/(.+?\/.+?)\/pulls\/(\d+)$/,
      (_asked, name, number) => {
        const repository = named(name as string);
        const pull = repository?.pulls.get(Number(number));
        return repository && pull && pullIn(repository, pull);
      },
    ],
    [
      "GET",
      /^\/repos\/(.+?\/.+?)\/branches\/(.+)$/,
      (_asked, name, branch) => (named(name as string)?.branches.has(branch as string) ? { name: branch } : undefined),
    ],
    [
      "GET",
      /^\/repos\/(.+?\/.+?)\/collaborators\/(.+)\/permission$/,
      (_asked, name, login) => {
        const found = named(name as string)?.writers.find((each) => each.login === login);
        const stranger = [...people.values()].find((each) => each.login === login);
        return { permission: found ? "write" : "read", user: found ?? stranger };
      },
    ],
    [
      "POST",
      /^\/repos\/(.+?\/.+?)\/issues\/(\d+)\/comments$/,
      (asked, name, number) =>
        saidIn(named(name as string), number as string, bodyOf(asked).body as unknown as string, ours),
    ],
    ["GET", /^\/repos\/(.+?\/.+?)\/hooks$/, (_asked, name) => named(name as string)?.hooks.map(hooked)],
    [
      "POST",
      /^\/repos\/(.+?\/.+?)\/hooks$/,
      (asked, name) => {
        const { url, secret } = bodyOf(asked).config as unknown as { url: string; secret: string };
        return hookIn(named(name as string), url, secret);
      },
    ],
  ];
  const byKey: Record<Key, Route[]> = {
    github: [
      [
        "POST",
        /^\/login\/oauth\/access_token$/,
        ({ body }) => ({
          access_token: `person-${new URLSearchParams(String(body)).get("code")}`,
        }),
      ],
      ["GET", /^\/user$/, user],
      [
        "GET",
        /^\/user\/installations$/,
        () => ({
          installations: [...new Set(repositories.map(({ account }) => account))].map((account) => ({
            ...{ id: account.id, account: { login: account.login }, html_url: page(account.login) },
          })),
        }),
      ],
      [
        "GET",
        /^\/user\/installations\/(\d+)\/repositories$/,
        (asked, id) => ({
          repositories: ownedBy(Number(id))
            .filter(({ seenBy }) => seenBy === null || seenBy.some((each) => each.id === bearer(asked)))
            .map(shown),
        }),
      ],
      [
        "POST",
        /^\/app\/installations\/(\d+)\/access_tokens$/,
        (_asked, id) => ({
          ...{ token: `installation-${id}`, expires_at: new Date(Date.now() + 3_600_000).toISOString() },
        }),
      ],
      ["GET", /^\/installation\/repositories$/, (asked) => ({ repositories: ownedBy(bearer(asked)).map(shown) })],
      ...alike,
    ],
    gitea: [
      ["GET", /^\/user$/, user],
      ["GET", /^\/user\/repos$/, (asked) => ownedBy(bearer(asked)).map(shown)],
      ...alike,
    ],
    gitlab: [
      ["GET", /^\/user$/, user],
      ["GET", /^\/projects$/, (asked) => ownedBy(bearer(asked)).map(shown)],
      [
        "GET",
        /^\/projects\/(\d+)\/merge_requests\/(\d+)$/,
        (_asked, id, number) => {
          const repository = numbered(id as string);
          const pull = repository?.pulls.get(Number(number));
          return repository && pull && mergeIn(repository, pull);
        },
      ],
      [
        "GET",
        /^\/projects\/(\d+)\/repository\/branches\/(.+)$/,
        (_asked, id, branch) => (numbered(id as string)?.branches.has(branch as string) ? { name: branch } : undefined),
      ],
      [
        "GET",
        /^\/projects\/(\d+)\/members\/all\/(\d+)$/,
        (_asked, id, person) =>
          numbered(id as string)?.writers.some((each) => String(each.id) === person)
            ? { id: Number(person), access_level: 30, state: "active" }
            : undefined,
      ],
      [
        "GET",
        /^\/projects\/(\d+)\/merge_requests\/(\d+)\/notes\/(\d+)$/,
        (_asked, id, number, note) => {
          const found = numbered(id as string)?.notes.get(Number(note));
          if (!found || String(found.number) !== number) return undefined;
          return {
            id: found.id,
            body: found.text,
            author: whoIs(found.by),
            system: false,
            internal: found.internal ?? false,
          };
        },
      ],
      [
        "POST",
        /^\/projects\/(\d+)\/merge_requests\/(\d+)\/notes$/,
        (asked, id, number) =>
          saidIn(numbered(id as string), number as string, bodyOf(asked).body as unknown as string, ours),
      ],
      ["GET", /^\/projects\/(\d+)\/hooks$/, (_asked, id) => numbered(id as string)?.hooks.map(hooked)],
      [
        "POST",
        /^\/projects\/(\d+)\/hooks$/,
        (asked, id) =>
          hookIn(
            numbered(id as string),
            bodyOf(asked).url as unknown as string,
            bodyOf(asked).token as unknown as string,
          ),
      ],
    ],
  };
  const routes = byKey[key];

  /** To the webhooks of the repository, or to the app's; what was answered. */
  async function send(repository: Repository, service: string, kind: string, body: object): Promise<number[]> {
    const to =
      key === "github"
        ? [{ url: `${service}/api/v1/webhooks/integrations/github`, secret: HOOK_SECRET }]
        : repository.hooks;
    const raw = JSON.stringify(body);
    return Promise.all(
      to.map(async ({ url, secret }) => {
        const mac = createHmac("sha256", secret).update(raw).digest("hex");
        const headers: Record<Key, Record<string, string>> = {
          github: { "x-github-event": kind, "x-hub-signature-256": `sha256=${mac}` },
          gitea: { "x-gitea-event": kind, "x-gitea-signature": mac },
          gitlab: { "x-gitlab-event": kind, "x-gitlab-token": secret },
        };
        const sent = { "content-type": "application/json", ...headers[key] };
        return (await fetch(url, { method: "POST", headers: sent, body: raw })).status;
      }),
    );
  }
  const about = (repository: Repository) =>
    key === "gitlab"
      ? { project: shown(repository) }
      : { repository: shown(repository), installation: { id: repository.account.id } };
  const whose = ({ id, login }: Somebody) =>
    key === "gitlab"
      ? { user: { id, username: login }, user_id: id, user_username: login }
      : { sender: { id, login, type: "User" } };

  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const client = { url: server.origin, client_id: "client", client_secret: "secret" };
  const app: App =
    key === "github"
      ? { ...client, app_id: "7", slug: "svc", private_key: privateKey, webhook_secret: HOOK_SECRET }
      : client;

  return {
    ...{ key, server, app, people, repositories },
    /** Whether it answers no question just now. */
    state,
    meet: (who = someone()) => {
      people.set(who.id, who);
      return who;
    },
    add(
      account: Somebody,
      { id = nextId(), name = `acme/site-${id}` }: { id?: number; name?: string } = {},
    ): Repository {
      const made: Repository = {
        ...{ id, name, account, pulls: new Map(), branches: new Set(), writers: [], seenBy: null },
        ...{ hooks: [], refusesHooks: null, said: [], notes: new Map() },
      };
      repositories.push(made);
      return made;
    },
    /** Without a commit it was deleted, unless it is there. */
    pushed(repository: Repository, service: string, branch: string, commits: readonly Commit[], by: Somebody) {
      const deleted = commits.length === 0 && !repository.branches.has(branch);
      const listed = commits.map(({ id, message, author }) => ({
        ...{ id, message, url: `${page(repository.name)}/commit/${id}`, timestamp: new Date().toISOString() },
        author: { name: author },
      }));
      const body = { ...about(repository), ...whose(by), ref: `refs/heads/${branch}`, commits: listed };
      const after = commits.at(-1)?.id ?? (deleted ? "0" : "f").repeat(40);
      if (deleted && key === "gitea")
        return send(repository, service, "delete", { ...body, ref: branch, ref_type: "branch" });
      return send(repository, service, key === "gitlab" ? "Push Hook" : "push", { ...body, after, deleted });
    },
    /** What is delivered may be another than what stands there. */
    pulled(repository: Repository, service: string, action: "opened" | "merged" | "closed", pull: Pull, by: Somebody) {
      const body = { ...about(repository), ...whose(by) };
      if (key !== "gitlab") {
        const sent = { ...body, action: action === "merged" ? "closed" : action };
        return send(repository, service, "pull_request", { ...sent, pull_request: pullIn(repository, pull) });
      }
      const { web_url: url, ...merge } = mergeIn(repository, pull);
      const does = { opened: "open", merged: "merge", closed: "close" }[action];
      return send(repository, service, "Merge Request Hook", {
        ...{ ...body, object_attributes: { ...merge, url, action: does } },
      });
    },
    /** `stands`: what can be read of it, where that is another; null: it is not there. */
    commented(
      repository: Repository,
      service: string,
      { id, number, text, by }: Said,
      stands: (Said & { internal?: boolean }) | null = { id, number, text, by },
    ) {
      if (stands) repository.notes.set(stands.id, stands);
      const url = `${page(repository.name)}#${id}`;
      if (key === "gitlab")
        return send(repository, service, "Note Hook", {
          ...{ ...about(repository), ...whose(by), merge_request: { iid: number } },
          object_attributes: { id, note: text, url, action: "create" },
        });
      return send(repository, service, "issue_comment", {
        ...{ ...about(repository), ...whose(by), action: "created", is_pull: true },
        issue: { number, pull_request: {} },
        comment: { id, body: text, html_url: url, author_association: "NONE", user: { ...by, type: "User" } },
      });
    },
  };
}
export type Forge = Awaited<ReturnType<typeof openForge>>;
