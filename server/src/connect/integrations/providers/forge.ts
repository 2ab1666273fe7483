// What services that keep repositories have in common: what is written there carries our marker where no reader sees it, and is found by it.
import Type from "typebox";
import { ProviderFault } from "../asking.ts";
import type { Action, Ask, Connection, Done, Entity, Looked, Resource, Tells } from "../provider.ts";
import { fieldsOf, textOf, timeOf, urlOf } from "./reading.ts";

const MOST_TEXT = 20_000;
const Text = Type.String({ minLength: 1, maxLength: MOST_TEXT, description: "Markdown." });
const Title = Type.String({ minLength: 1, maxLength: 250 });
/** Of an issue or a pull request, as people see it. */
const IssueNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Sha = Type.String({
  pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$",
  maxLength: 64,
  description: "Of a commit, whole.",
});
const Url = Type.String({ maxLength: 2000, pattern: "^https?://[^\\s]+$" });
const closed = { additionalProperties: false };

export const inputs = {
  comment: Type.Object({ number: IssueNumber, text: Text }, closed),
  issue: Type.Object({ title: Title, text: Type.Optional(Text) }, closed),
  number: Type.Object({ number: IssueNumber }, closed),
  status: Type.Object(
    {
      sha: Sha,
      state: Type.Enum(["pending", "success", "failure"]),
      context: Type.String({ minLength: 1, maxLength: 100 }),
      description: Type.Optional(Type.String({ maxLength: 140 })),
      url: Type.Optional(Url),
    },
    closed,
  ),
};
export interface Commenting {
  number: number;
  text: string;
}
export interface Opening {
  title: string;
  text?: string;
}
export interface Reporting {
  sha: string;
  state: "pending" | "success" | "failure";
  context: string;
  description?: string;
  url?: string;
}

/** owner/name as it stands in a path. */
export function repositoryPath({ name }: Resource): string {
  const parts = name.split("/");
  if (parts.length !== 2 || parts.some((part) => part === "" || /^\.+$/.test(part)))
    throw new ProviderFault("resource_missing");
  return parts.map(encodeURIComponent).join("/");
}

/** A branch is named by the id of its repository and its own name, a pull request by its number, which a new name of the repository does not change. */
export const branchId = (repository: string, name: string) => `${repository}:${name}`;
export const pullId = (repository: string, number: unknown) => `${repository}#${textOf(number, 20)}`;
/** What stands behind the id of the repository. */
const ownPart = (externalId: string) => externalId.replace(/^[^:#]*[:#]/, "");
export function numberOf({ externalId }: Pick<Entity, "externalId">): string {
  const number = ownPart(externalId);
  if (!/^\d{1,9}$/.test(number)) throw new ProviderFault("resource_missing");
  return number;
}
/** None that git takes begins a part with a dot. */
export function branchNameOf({ externalId }: Pick<Entity, "externalId">): string {
  const name = ownPart(externalId);
  if (name.split("/").some((part) => part === "" || part.startsWith("."))) throw new ProviderFault("resource_missing");
  return name;
}

/** `home`: the page of the repository. `tree`: what its pages of branches are called. */
export const branchOf = (repository: string, home: string, tree: string, name: string, state: string): Entity => ({
  ...{ kind: "branch", externalId: branchId(repository, name), title: name, state, changedAt: timeOf(null) },
  url: home === "" ? "" : urlOf(`${home}/${tree}/${name.split("/").map(encodeURIComponent).join("/")}`),
});
/** Of what names things as GitHub does. */
export function pullOf(repository: string, sent: unknown): Required<Pick<Looked, "texts">> & Entity {
  const pull = fieldsOf(sent);
  const merged = pull.merged === true || typeof pull.merged_at === "string";
  return {
    ...{ kind: "pull_request", externalId: pullId(repository, pull.number), title: textOf(pull.title, 300) },
    url: urlOf(pull.html_url),
    state: merged ? "merged" : pull.state === "closed" ? "closed" : pull.draft === true ? "draft" : "open",
    authorName: textOf(fieldsOf(pull.user).login, 100) || null,
    changedAt: timeOf(pull.updated_at),
    texts: [pull.title, pull.body, fieldsOf(pull.head).ref].map((text) => textOf(text, 20_000)),
  };
}
/** Of an API that names things as GitHub does. What is at a name that another repository has taken is not what was asked for. */
export const issueLook =
  (tree: string): NonNullable<Connection["look"]> =>
  async (ask, resource, entity) => {
    const home = `/repos/${repositoryPath(resource)}`;
    if (entity.kind === "branch") {
      const name = branchNameOf(entity);
      await ask("GET", `${home}/branches/${name.split("/").map(encodeURIComponent).join("/")}`);
      return branchOf(resource.externalId, resource.url ?? "", tree, name, "open");
    }
    if (entity.kind !== "pull_request") throw new ProviderFault("unsupported");
    const { body } = await ask("GET", `${home}/pulls/${numberOf(entity)}`);
    const { id } = fieldsOf(fieldsOf(fieldsOf(body).base).repo);
    return textOf(id, 40) === resource.externalId ? pullOf(resource.externalId, body) : null;
  };

export const marked = (text: string, marker: string) => `${text}\n\n<!-- ${marker} -->`;

/** What was made, by the names that the provider gives its id and its page. What does not say so has perhaps not been made. */
export function madeOf(body: unknown, id: string, url: string): Done {
  const fields = fieldsOf(body);
  const externalId = textOf(fields[id], 200);
  if (externalId === "") throw new ProviderFault("unknown");
  return { externalId, url: textOf(fields[url], 2000) || null };
}

/** The one of a list whose text has the marker. */
export function foundIn(list: unknown, text: string, marker: string): unknown {
  const rows: unknown[] = Array.isArray(list) ? list : [];
  return rows.find((row) => String(fieldsOf(row)[text] ?? "").includes(marker));
}

/** Where those that were made last are listed: comments of the repository or of one issue, and issues. */
interface Listed {
  comments: (number: number) => string;
  issues: string;
}
/** Of an API that names things as GitHub does. */
export function issueActions({ comments, issues }: Listed) {
  const at = (resource: Resource, path: string) => `/repos/${repositoryPath(resource)}${path}`;
  const look = async (ask: Ask, path: string, marker: string, id: string) => {
    const { body } = await ask("GET", path, { bytes: 8 * 1024 * 1024 });
    const found = foundIn(body, "body", marker);
    return found === undefined ? null : madeOf(found, id, "html_url");
  };
  const comment: Action = {
    name: "Comment on an issue or a pull request",
    input: inputs.comment,
    keyed: false,
    async perform(ask, resource, { number, text }: Commenting, marker) {
      const json = { body: marked(text, marker) };
      return madeOf((await ask("POST", at(resource, `/issues/${number}/comments`), { json })).body, "id", "html_url");
    },
    find: (ask, resource, marker, { number }: Commenting) => look(ask, at(resource, comments(number)), marker, "id"),
  };
  const create: Action = {
    name: "Open an issue",
    input: inputs.issue,
    keyed: false,
    async perform(ask, resource, { title, text = "" }: Opening, marker) {
      const json = { title, body: marked(text, marker) };
      return madeOf((await ask("POST", at(resource, "/issues"), { json })).body, "number", "html_url");
    },
    find: (ask, resource, marker) => look(ask, at(resource, issues), marker, "number"),
  };
  // Closed twice it is closed.
  const close: Action = {
    name: "Close an issue",
    input: inputs.number,
    keyed: true,
    async perform(ask, resource, { number }: { number: number }) {
      const json = { state: "closed" };
      return madeOf((await ask("PATCH", at(resource, `/issues/${number}`), { json })).body, "number", "html_url");
    },
  };
  // The newest of a context counts: said twice, it says the same.
  const report: Action = {
    name: "Set the status of a commit",
    input: inputs.status,
    keyed: true,
    async perform(ask, resource, { sha, state, context, description, url }: Reporting) {
      const json = { state, context, description, target_url: url };
      return madeOf((await ask("POST", at(resource, `/statuses/${sha}`), { json })).body, "id", "target_url");
    },
  };
  return { comment, create_issue: create, close_issue: close, set_status: report };
}

const NUMBERED = /\/(pull|pulls|merge_requests|issues)\/(\d{1,9})(?:[/?#]|$)/;
/** What people see as its number stands in its address. */
export const numberIn = (url: string) => {
  const [, page = "", number = ""] = NUMBERED.exec(url) ?? [];
  return number === "" ? null : { number: Number(number), isIssue: page === "issues" };
};
export const issueTells: Tells = {
  comment(entity, text) {
    const found = numberIn(entity.url);
    return found && { action: "comment", input: { number: found.number, text: shortened(text) } };
  },
};
export const shortened = (text: string) => [...text].slice(0, MOST_TEXT).join("");
