// Capabilities are true: every word in an answer works when its caller tries it, and every other word of that resource
// is refused or changes nothing. Each resource is made in each of its states and tried as owner, member and viewer.
// capabilities.test.ts tries a covering set of the words, capabilities.slow.test.ts all of them.
import type { Capability } from "@svc/contract/capabilities.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { newAttached, newAttachment } from "./attachments.ts";
import { isPicked } from "./covering-set.ts";
import { newDocument } from "./documents.ts";
import { applied, lifecycleOf, migrationPath } from "./lifecycle.ts";
import { membershipOf, setMembership } from "./people.ts";
import { selectedWords } from "./selected-operations.ts";
import { newComment, newMilestone, newProject, newTask, trashTask } from "./work.ts";
import { newKey, type Person, service, type World, world } from "./world.ts";

type Trying = (person: Person, subject: Subject) => Promise<Answer>;
interface Subject {
  id: string;
  /** Where it is read. */
  path: string;
  [more: string]: string;
}
type Words = Partial<Record<Capability, Trying>>;
type Role = "owner" | "member" | "viewer";
/** A resource in one of its states, and the words of its kind. */
type Case = [string, () => Promise<Subject>, Words];

const REFUSED = [403, 404, 409, 422];
/** Words whose calls change nothing, so that their target is used again. */
const READING = new Set(["work:read", "documents:read", "attachment:download", "attachment:preview"]);

/** Starts a service and the Workspace of the cases, for one test file. */
export function capabilityCases() {
  const running = service();
  let home: World;
  let roles: Record<Role, Person>;
  let statusIds: Record<string, string>;
  beforeAll(async () => {
    home = await world(running);
    roles = { owner: home.owner, member: await home.member("member"), viewer: await home.member("viewer") };
    statusIds = (await lifecycleOf(running, home, "task")).ids;
  });

  const sql = (text: string, id: string) => running.sql(text, [id], home.workspaceId);
  const send =
    (method: string, to: (subject: Subject) => string, body?: (subject: Subject) => object | Promise<object>): Trying =>
    async (person, subject) =>
      person.call(method, to(subject), {
        body: await body?.(subject),
        key: newKey(),
        headers: { "if-match": "*" },
      });
  const itself = ({ path }: Subject) => path;
  const patch = (body: object) => send("PATCH", itself, () => body);
  const remove = send("DELETE", itself);

  // ---- things in their states ---------------------------------------------------------------------------------------

  /** In a Project that requires review, so that managing a Task can be tried. */
  async function place() {
    const project = await newProject(home);
    const path = `/projects/${project.id}/completion-policy`;
    const answer = await home.owner.call("PUT", path, {
      body: { review_required: true },
      headers: { "if-match": "*" },
    });
    expect(answer.status, answer.text).toBe(200);
    return project.id as string;
  }
  const archiveProject = (id: string) => sql("update projects set archived_at = now() where id = $1", id);
  const named = (name: string) => `${name} ${newKey().slice(-12)}`;

  async function project(archived: boolean): Promise<Subject> {
    const id = await place();
    if (archived) await archiveProject(id);
    return { id, path: `/projects/${id}` };
  }
  async function task({ trashed = false, archived = false } = {}): Promise<Subject> {
    const projectId = await place();
    const { id } = await newTask(home.owner, projectId, { status_id: statusIds["In Review"] });
    if (trashed) await trashTask(running, home, id);
    if (archived) await archiveProject(projectId);
    return { id, path: `/tasks/${id}`, projectId };
  }
  async function document({ trashed = false, archived = false, projectId = "" } = {}): Promise<Subject> {
    const { id } = await newDocument(home, { title: named("Document"), ...(projectId && { project_id: projectId }) });
    if (trashed) await home.owner.call("DELETE", `/documents/${id}`);
    if (archived) await archiveProject(projectId);
    return { id, path: `/documents/${id}`, projectId };
  }
  /** By the member. */
  async function comment(state: "live" | "deleted" | "trashed" | "archived"): Promise<Subject> {
    const { id: taskId, projectId = "" } = await task();
    const { id } = await newComment(roles.member, taskId);
    if (state === "deleted") await roles.member.call("DELETE", `/comments/${id}`, { headers: { "if-match": "*" } });
    if (state === "trashed") await trashTask(running, home, taskId);
    if (state === "archived") await archiveProject(projectId);
    return { id, path: `/comments/${id}` };
  }
  async function milestone(archived: boolean): Promise<Subject> {
    const projectId = await place();
    const { id } = await newMilestone(home.owner, projectId);
    if (archived) await archiveProject(projectId);
    return { id, path: `/milestones/${id}` };
  }
  async function status(state: "live" | "archived" | "own" | "in archived Project"): Promise<Subject> {
    const own = state === "own" || state === "in archived Project";
    const projectId = own ? await place() : "";
    const path = own ? `/projects/${projectId}/statuses` : `/workspaces/${home.workspaceId}/statuses`;
    const made = await home.owner.call("POST", path, {
      body: { name: named("Step"), category: "started" },
      key: newKey(),
    });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body;
    if (state === "archived") await sql("update statuses set archived_at = now() where id = $1", id);
    if (state === "in archived Project") await archiveProject(projectId);
    return { id, path: `/statuses/${id}` };
  }
  async function label(where: "Workspace" | "Project" | "archived Project"): Promise<Subject> {
    const projectId = await place();
    const path = where === "Workspace" ? `/workspaces/${home.workspaceId}` : `/projects/${projectId}`;
    const body = { name: named("Label"), purpose: "general" };
    const made = await home.owner.call("POST", `${path}/label-definitions`, { body, key: newKey() });
    expect(made.status, made.text).toBe(201);
    if (where === "archived Project") await archiveProject(projectId);
    return { id: made.body.id, path: `/label-definitions/${made.body.id}` };
  }
  /** By the member. */
  async function attachment(state: "loose" | "clean" | "pending" | "trashed" | "archived"): Promise<Subject> {
    const { id: taskId, projectId = "" } = await task();
    const { id } = await (state === "loose"
      ? newAttachment(roles.member)
      : newAttached(roles.member, `/tasks/${taskId}`));
    if (state === "pending") await sql("update attachments set scan_state = 'pending' where id = $1", id);
    if (state === "trashed") await trashTask(running, home, taskId);
    if (state === "archived") await archiveProject(projectId);
    const elsewhere = (await newTask(home.owner, (await newProject(home)).id)).id;
    return { id, path: `/attachments/${id}`, elsewhere };
  }
  async function person(state: "active" | "suspended" | "removed" | "left"): Promise<Subject> {
    const somebody = await home.member("member");
    await setMembership(running, home, somebody, `state = '${state}'`);
    const { id } = await membershipOf(running, home, somebody);
    const path = `/workspaces/${home.workspaceId}/people/${somebody.userId}`;
    return { id, path, userId: somebody.userId, membership: `/workspaces/${home.workspaceId}/members/${id}` };
  }
  /** One job at a time applies: those before are over. */
  async function migration(state: string): Promise<Subject> {
    await sql("update lifecycle_migrations set state = 'completed' where workspace_id = $1", home.workspaceId);
    const tasks = await lifecycleOf(running, home, "task");
    const mapping = { [tasks.ids.Backlog as string]: tasks.ids.Todo as string };
    const { status: answered, body, text } = await applied(home, tasks, mapping);
    expect(answered, text).toBe(200);
    await running.sql("update lifecycle_migrations set state = $2 where id = $1", [body.id, state], home.workspaceId);
    return { id: body.id, path: migrationPath(home, body.id) };
  }

  // ---- the call that each word promises -----------------------------------------------------------------------------

  const read: Words = { "work:read": send("GET", itself) };
  const ofTask: Words = {
    ...read,
    "work:write": patch({ title: "Mill the gears" }),
    "work:manage": async (caller, subject) => patch({ status_id: statusIds.Done })(caller, subject),
    "task:restore": send("POST", ({ path }) => `${path}/restore`),
    "task:delete": remove,
  };
  const ofDocument: Words = {
    "documents:read": send("GET", itself),
    "documents:write": patch({ title: "How we mill" }),
    "documents:manage": patch({ published: true }),
    "document:restore": send("POST", ({ path }) => `${path}/restore`),
    "document:delete": send("DELETE", ({ path }) => `${path}/permanent`),
  };
  const ofProject: Words = {
    ...read,
    "work:write": send(
      "POST",
      ({ path }) => `${path}/tasks`,
      () => ({ title: "Cut the gears" }),
    ),
    "work:manage": send(
      "POST",
      ({ path }) => `${path}/members`,
      async () => ({ actor_id: (await home.member("viewer")).actorId, role: "viewer" }),
    ),
    "project:update": patch({ name: "Analytical Engine" }),
    "project:restore": patch({ archived: false }),
    "project:delete": remove,
  };
  const ofComment: Words = {
    "comment:update": patch({ markdown: "Never mind." }),
    "comment:delete": remove,
    "comment:react": send("PUT", ({ path }) => `${path}/reactions/tada`),
  };
  const ofMilestone: Words = { "milestone:update": patch({ name: "Second turn" }), "milestone:delete": remove };
  const ofStatus: Words = {
    "status:update": async (caller, subject) => patch({ name: named("Renamed") })(caller, subject),
    "status:archive": send(
      "POST",
      ({ path }) => `${path}/archive-and-replace`,
      () => ({
        replacement_id: statusIds["In Progress"],
        acknowledged: true,
      }),
    ),
    "status:delete": remove,
  };
  const ofLabel: Words = {
    "label:update": async (caller, subject) => patch({ name: named("Renamed") })(caller, subject),
    "label:delete": remove,
  };
  const ofAttachment: Words = {
    "attachment:download": send("POST", ({ path }) => `${path}/download`),
    "attachment:preview": send("POST", ({ path }) => `${path}/preview`),
    "attachment:attach": send(
      "POST",
      ({ elsewhere }) => `/tasks/${elsewhere}/attachments`,
      ({ id }) => ({ attachment_id: id }),
    ),
    "attachment:delete": remove,
  };
  const ofMember: Words = {
    "member:update": send(
      "PATCH",
      ({ membership = "" }) => membership,
      () => ({ role: "viewer" }),
    ),
    "member:remove": send("DELETE", ({ membership = "" }) => membership),
    "member:restore": send(
      "POST",
      () => `/workspaces/${home.workspaceId}/members`,
      ({ userId }) => ({ user_id: userId }),
    ),
  };
  const ofMigration: Words = { "migration:retry": send("POST", ({ path }) => `${path}/retry`) };

  const cases: Case[] = [
    ["a Task", () => task(), ofTask],
    ["a Task in the trash", () => task({ trashed: true }), ofTask],
    ["a Task in an archived Project", () => task({ archived: true }), ofTask],
    ["a Task in the trash of an archived Project", () => task({ trashed: true, archived: true }), ofTask],
    ["a Document", () => document(), ofDocument],
    ["a Document in a Project", async () => document({ projectId: await place() }), ofDocument],
    ["a Document in the trash", () => document({ trashed: true }), ofDocument],
    [
      "a Document in an archived Project",
      async () => document({ archived: true, projectId: await place() }),
      ofDocument,
    ],
    [
      "a Document in the trash of an archived Project",
      async () => document({ trashed: true, archived: true, projectId: await place() }),
      ofDocument,
    ],
    ["a Project", () => project(false), ofProject],
    ["an archived Project", () => project(true), ofProject],
    ["a comment", () => comment("live"), ofComment],
    ["a deleted comment", () => comment("deleted"), ofComment],
    ["a comment on a Task in the trash", () => comment("trashed"), ofComment],
    ["a comment in an archived Project", () => comment("archived"), ofComment],
    ["a Milestone", () => milestone(false), ofMilestone],
    ["a Milestone in an archived Project", () => milestone(true), ofMilestone],
    ["a Status of the Workspace", () => status("live"), ofStatus],
    ["an archived Status", () => status("archived"), ofStatus],
    ["a Project's own Status", () => status("own"), ofStatus],
    ["a Status of an archived Project", () => status("in archived Project"), ofStatus],
    ["a label of the Workspace", () => label("Workspace"), ofLabel],
    ["a label of a Project", () => label("Project"), ofLabel],
    ["a label of an archived Project", () => label("archived Project"), ofLabel],
    ["a file that is attached", () => attachment("clean"), ofAttachment],
    ["a file that waits for the scanner", () => attachment("pending"), ofAttachment],
    ["a file in the trash", () => attachment("trashed"), ofAttachment],
    ["a file in an archived Project", () => attachment("archived"), ofAttachment],
    ["a file that is attached nowhere", () => attachment("loose"), ofAttachment],
    ["a member", () => person("active"), ofMember],
    ["a suspended member", () => person("suspended"), ofMember],
    ["a removed member", () => person("removed"), ofMember],
    ["somebody who left", () => person("left"), ofMember],
    ["a completed migration", () => migration("completed"), ofMigration],
    ["a running migration", () => migration("processing"), ofMigration],
    ["a failed migration", () => migration("failed"), ofMigration],
  ];

  /** As the owner reads it, without how often it was written. */
  const shown = async ({ path }: Subject) => {
    const { status: answered, body } = await home.owner.call("GET", path);
    const { revision: _, updated_at: __, ...rest } = body;
    return [answered, answered === 200 ? rest : null];
  };

  /**
   * Tries these words of one case. A word that was refused or only read has changed nothing: the next one is tried on
   * the same thing.
   */
  async function tryWords([, make, words]: Case, caller: Person, tried: readonly string[]): Promise<void> {
    let subject: Subject | null = null;
    for (const word of tried) {
      subject ??= await make();
      const { status: found, body } = await caller.call("GET", subject.path);
      const told: string[] = found === 200 ? body.capabilities : [];
      expect(told.filter((each) => !(each in words))).toEqual([]);
      const before: unknown = told.includes(word) ? null : await shown(subject);
      const { status: answered, text } = await (words[word as Capability] as Trying)(caller, subject);
      if (told.includes(word)) expect(answered, `${word} is told: ${text}`).toBeLessThan(300);
      else if (answered < 300) expect(await shown(subject), `${word} is not told: ${text}`).toEqual(before);
      else expect(REFUSED, `${word} is not told: ${text}`).toContain(answered);
      if (answered < 300 && !READING.has(word)) subject = null;
    }
  }

  const selected: ReadonlySet<string> = selectedWords();
  /** Declares one test for each case and role that has a word to try. */
  function testWords(applies: (on: Case, role: Role, word: string) => boolean = () => true): void {
    const narrowed = cases.filter(([, , words]) => Object.keys(words).some((word) => selected.has(word)));
    describe.skipIf(narrowed.length === 0)("what is told works, and what is not told does not", () => {
      for (const one of narrowed)
        for (const role of ["owner", "member", "viewer"] as const) {
          const tried = Object.keys(one[2]).filter((word) => selected.has(word) && applies(one, role, word));
          if (tried.length > 0) test(`${one[0]}, as ${role}`, () => tryWords(one, roles[role], tried));
        }
    });
  }
  return { running, cases, testWords, home: () => home, task, project };
}

/**
 * The first tier tries every word on one state of each resource, and on the other states every third, chosen by a hash
 * of their names.
 */
export function coveringWords(cases: readonly Case[]) {
  const first = new Map(cases.toReversed().map(([name, , words]) => [words, name]));
  return ([name, , words]: Case, role: string, word: string): boolean =>
    first.get(words) === name || isPicked(name, role, word);
}
