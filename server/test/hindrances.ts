// What can come in the way of undoing and redoing, for every kind of effect: a write of the author's, what is done
// then, and the codes that are told of it.
import type { Answer } from "./answer.ts";
import { newEntry } from "./time.ts";
import { joinProject, newComment, newMilestone, newProject, newProjectStatus, newTask } from "./work.ts";
import { newKey, type Person, type TestService, type World, world } from "./world.ts";

let running: TestService;
let statuses: { id: string; name: string }[];
export let home: World;
export let author: Person;
/** Before anything else here. */
export async function furnish(service: TestService): Promise<void> {
  running = service;
  home = await world(running);
  author = await home.member("member");
  statuses = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/statuses`)).body.items;
}
const status = (wanted: string) => statuses.find(({ name }) => name === wanted)?.id as string;

const any = { headers: { "if-match": "*" } };
const send = (person: Person, method: string, path: string, body?: object) =>
  person.call(method, path, { body, key: newKey(), ...any });
/** A write that must succeed. */
export async function sent(person: Person, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await send(person, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
  return answer;
}

/** A Task with all that a row may need, in a Project of its own; `given` are its fields. */
export async function bench(given: object = {}) {
  const { owner } = home;
  const [project, other] = [await newProject(home), await newProject(home)];
  const task = await newTask(owner, project.id, given);
  const path = `/tasks/${task.id}`;
  return {
    owner,
    project,
    other,
    task,
    path,
    patch: (person: Person, body: object) => sent(person, "PATCH", path, body),
    trash: () => sent(owner, "POST", `${path}/trash`),
    review: () => sent(owner, "PUT", `/projects/${project.id}/completion-policy`, { review_required: true }),
    restore: () => sent(owner, "POST", `${path}/restore`),
    remove: () => sent(owner, "POST", `${path}/trash`).then(() => sent(owner, "DELETE", path)),
    archive: (of = project) => sent(owner, "PATCH", `/projects/${of.id}`, { archived: true }),
    move: (person: Person, to: { id: string }) => sent(person, "POST", `${path}/move`, { project_id: to.id }),
  };
}
type Bench = Awaited<ReturnType<typeof bench>>;
const leave = ({ userId }: Person) =>
  running.sql("update memberships set state = 'suspended' where user_id = $1", [userId]);
const retire = (id: string) =>
  sent(home.owner, "POST", `/statuses/${id}/archive-and-replace`, {
    replacement_id: status("Todo"),
    acknowledged: true,
  });
async function close(milestone: { id: string }) {
  const { stages } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/milestone-lifecycle`)).body;
  const stage_id = stages.find(({ name }: { name: string }) => name === "Completed").id;
  await sent(home.owner, "PATCH", `/milestones/${milestone.id}`, { stage_id });
}
export const label = async () =>
  (
    await sent(home.owner, "POST", `/workspaces/${home.workspaceId}/label-definitions`, {
      name: newKey().slice(-12),
      purpose: "general",
    })
  ).body.id as string;

/** The write, what comes in the way of taking it back, and the codes that are told of it. */
export interface Hindrance {
  act: Answer;
  hinder: () => Promise<unknown>;
  codes: string[];
  /** What the refusal is, where it is not a conflict. */
  reason?: string;
}
export type HindranceCase = () => Promise<Hindrance>;
const planted = (act: Answer, hinder: Hindrance["hinder"], ...codes: string[]): Hindrance => ({ act, hinder, codes });

const changing =
  (body: object, hinder: (bench: Bench) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await bench({ due_date: "2026-05-05" });
    return planted(await made.patch(author, body), () => hinder(made), ...codes);
  };
const leaving =
  (hinder: (milestone: { id: string }) => Promise<unknown>): HindranceCase =>
  async () => {
    const made = await bench();
    const milestone = await newMilestone(made.owner, made.project.id);
    await made.patch(made.owner, { milestone_id: milestone.id });
    return planted(await made.patch(author, { milestone_id: null }), () => hinder(milestone), "invalid_reference");
  };
const ofTasks: Record<string, HindranceCase> = {
  "a title that has changed": changing({ title: "Mine" }, (b) => b.patch(b.owner, { title: "Theirs" }), "moved_on"),
  "a description that has changed": changing(
    { description_markdown: "Mine" },
    (b) => b.patch(b.owner, { description_markdown: "Theirs" }),
    "moved_on",
  ),
  "a priority that has changed": changing(
    { priority: "low" },
    (b) => b.patch(b.owner, { priority: "high" }),
    "moved_on",
  ),
  "dates that do not fit any more": changing(
    { due_date: "2026-07-05" },
    (b) => b.patch(b.owner, { start_date: "2026-06-01" }),
    "invalid_dates",
  ),
  "a Task in the trash": changing({ priority: "low" }, (b) => b.trash(), "task_trashed"),
  "a Task that is deleted": changing({ priority: "low" }, (b) => b.remove(), "not_found"),
  "an archived Project": changing({ priority: "low" }, (b) => b.archive(), "project_archived"),
  "a Project that its author sees no more": changing(
    { priority: "low" },
    (b) => sent(b.owner, "PATCH", `/projects/${b.project.id}`, { visibility: "private" }),
    "not_found",
  ),
  "a role that allows it no more": async () => {
    const made = await bench();
    const act = await made.patch(author, { priority: "low" });
    return { ...planted(act, () => joinProject(home, made.project.id, author, "viewer")), reason: "forbidden" };
  },
  "an assignee who has left": async () => {
    const member = await home.member("member");
    const made = await bench({ assignee_actor_id: member.actorId });
    return planted(await made.patch(author, { assignee_actor_id: null }), () => leave(member), "invalid_reference");
  },
  "an assignee who sees the Project no more": async () => {
    const member = await home.member("member");
    const made = await bench({ assignee_actor_id: member.actorId });
    await joinProject(home, made.project.id, author, "member");
    const hide = () => sent(made.owner, "PATCH", `/projects/${made.project.id}`, { visibility: "private" });
    return planted(await made.patch(author, { assignee_actor_id: null }), hide, "invalid_reference");
  },
  "a Milestone that is deleted": leaving((milestone) => sent(home.owner, "DELETE", `/milestones/${milestone.id}`)),
  "a Milestone that is closed": leaving(close),
  "a Status that is archived": async () => {
    const made = await bench();
    const milling = await newProjectStatus(running, home, made.project.id, "Milling");
    await made.patch(made.owner, { status_id: milling });
    return planted(await made.patch(author, { status_id: status("Todo") }), () => retire(milling), "invalid_reference");
  },
  "a review that is required": async () => {
    const made = await bench({ status_id: status("Done") });
    return planted(await made.patch(author, { status_id: status("Todo") }), made.review, "review_required");
  },
  "a Task that was trashed after its creation": async () => {
    const made = await bench();
    const act = await sent(author, "POST", `/projects/${made.project.id}/tasks`, { title: "New" });
    return planted(act, () => sent(made.owner, "POST", `/tasks/${act.body.id}/trash`), "moved_on");
  },
  "a trashed Task that is restored": async () => {
    const made = await bench();
    return planted(await sent(author, "POST", `${made.path}/trash`), made.restore, "moved_on");
  },
  "a restored Task that is trashed": async () => {
    const made = await bench();
    await made.trash();
    return planted(await sent(author, "POST", `${made.path}/restore`), made.trash, "moved_on");
  },
};

const moving =
  (hinder: (bench: Bench) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await bench();
    return planted(await made.move(author, made.other), () => hinder(made), ...codes);
  };
const ofMoves: Record<string, HindranceCase> = {
  "a Task that has moved on": moving(async (b) => b.move(b.owner, await newProject(home)), "moved_on"),
  "a moved Task in the trash": moving((b) => b.trash(), "task_trashed"),
  "a moved Task that is deleted": moving((b) => b.remove(), "not_found"),
  "an old Project that is archived": moving((b) => b.archive(), "project_archived"),
  "a new Project that is archived": moving((b) => b.archive(b.other), "project_archived"),
  "an old Project that is deleted": moving((b) => sent(b.owner, "DELETE", `/projects/${b.project.id}`), "not_found"),
  "an old Project that takes no work": moving(
    (b) =>
      running.sql(
        "update projects set state_id = (select id from project_states where name = 'Completed') where id = $1",
        [b.project.id],
        home.workspaceId,
      ),
    "project_closed",
  ),
  "a Milestone of the old Project that is deleted": async () => {
    const made = await bench();
    const milestone = await newMilestone(made.owner, made.project.id);
    await made.patch(made.owner, { milestone_id: milestone.id });
    const act = await made.move(author, made.other);
    return planted(act, () => sent(made.owner, "DELETE", `/milestones/${milestone.id}`), "invalid_reference");
  },
  "a Status of the old Project that is archived": async () => {
    const made = await bench();
    const milling = await newProjectStatus(running, home, made.project.id, "Milling");
    await made.patch(made.owner, { status_id: milling });
    return planted(await made.move(author, made.other), () => retire(milling), "invalid_reference");
  },
};

/** Two Tasks, and how the first is to the second. */
async function related() {
  const made = await bench();
  const far = await newTask(made.owner, made.other.id);
  const relate = (person: Person, type: string, to = far.id) =>
    sent(person, "POST", `${made.path}/relations`, { type, related_task_id: to });
  const turn = (person: Person, id: string, type: string) =>
    sent(person, "PATCH", `/task-relations/${id}`, { type, task_id: made.task.id });
  const unrelate = (person: Person, id: string) => sent(person, "DELETE", `/task-relations/${id}`);
  return { ...made, relate, turn, unrelate, trashFar: () => sent(made.owner, "POST", `/tasks/${far.id}/trash`) };
}
type Related = Awaited<ReturnType<typeof related>>;
const removing =
  (type: string, hinder: (made: Related) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await related();
    const { id } = (await made.relate(made.owner, type)).body;
    return planted(await made.unrelate(author, id), () => hinder(made), ...codes);
  };
const turning =
  (hinder: (made: Related, id: string) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await related();
    const { id } = (await made.relate(made.owner, "blocks")).body;
    return planted(await made.turn(author, id, "duplicates"), () => hinder(made, id), ...codes);
  };
const ofRelations: Record<string, HindranceCase> = {
  "a relation that is gone": async () => {
    const made = await related();
    const act = await made.relate(author, "blocks");
    return planted(act, () => made.unrelate(made.owner, act.body.id), "not_found");
  },
  "a relation that was turned": async () => {
    const made = await related();
    const act = await made.relate(author, "blocks");
    return planted(act, () => made.turn(made.owner, act.body.id, "duplicates"), "moved_on");
  },
  "a relation that was turned again": turning((b, id) => b.turn(b.owner, id, "child_of"), "moved_on"),
  "a turned relation of a Task in the trash": turning((b) => b.trashFar(), "task_trashed"),
  "a turned relation whose like exists again": turning((b) => b.relate(b.owner, "blocks"), "relation_exists"),
  "a relation that exists again": removing("blocks", (b) => b.relate(b.owner, "blocks"), "relation_exists"),
  "a relation that would be a circle": removing("blocks", (b) => b.relate(b.owner, "blocked_by"), "relation_cycle"),
  "another parent": removing(
    "child_of",
    async (b) => b.relate(b.owner, "child_of", (await newTask(b.owner, b.other.id)).id),
    "parent_exists",
  ),
  "a removed relation of a Task in the trash": removing("blocks", (b) => b.trashFar(), "task_trashed"),
  "archived Projects on both sides": removing(
    "blocks",
    async (b) => {
      await b.archive();
      await b.archive(b.other);
    },
    "project_archived",
  ),
  "following that was decided again": async () => {
    const made = await bench();
    const own = `${made.path}/subscription`;
    return planted(await sent(author, "PUT", own), () => sent(author, "PUT", `${own}/mute`), "moved_on");
  },
  "labels that were replaced": async () => {
    const [made, one] = [await bench(), await label()];
    const put = (person: Person, label_ids: string[]) =>
      sent(person, "PUT", `/task/${made.task.id}/labels`, { label_ids });
    const act = await put(author, [one]);
    return planted(act, () => put(made.owner, []), "moved_on");
  },
  "labels of a Task in the trash": async () => {
    const made = await bench();
    const act = await sent(author, "PUT", `/task/${made.task.id}/labels`, { label_ids: [await label()] });
    return planted(act, made.trash, "task_trashed");
  },
  "labels of a Project that is archived": async () => {
    const made = await bench();
    await joinProject(home, made.project.id, author, "lead");
    const act = await sent(author, "PUT", `/project/${made.project.id}/labels`, { label_ids: [await label()] });
    return planted(act, () => made.archive(), "project_archived");
  },
};

const commenting =
  (
    act: (path: string, made: Bench) => Promise<Answer>,
    hinder: (path: string, made: Bench) => Promise<unknown>,
    ...codes: string[]
  ): HindranceCase =>
  async () => {
    const made = await bench();
    const path = `/comments/${(await newComment(author, made.task.id, "First")).id}`;
    return planted(await act(path, made), () => hinder(path, made), ...codes);
  };
const edit = (markdown: string) => (path: string) => sent(author, "PATCH", path, { markdown });
const erase = (path: string) => sent(author, "DELETE", path);
const heart = (path: string) => sent(author, "PUT", `${path}/reactions/heart`);
const unheart = (path: string) => sent(author, "DELETE", `${path}/reactions/heart`);
const hearted = (path: string) => heart(path).then(() => unheart(path));
const creating =
  (hinder: (path: string) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await bench();
    const act = await sent(author, "POST", `${made.path}/comments`, { markdown: "First" });
    return planted(act, () => hinder(`/comments/${act.body.id}`), ...codes);
  };
const trash = (_path: string, made: Bench) => made.trash();
const ofComments: Record<string, HindranceCase> = {
  "a new comment that was edited": creating(edit("Second"), "moved_on"),
  "a new comment that was deleted": creating(erase, "comment_deleted"),
  "a comment that was edited again": commenting(edit("Second"), edit("Third"), "moved_on"),
  "an edited comment that was deleted": commenting(edit("Second"), erase, "comment_deleted"),
  "an edited comment of a Task in the trash": commenting(edit("Second"), trash, "task_trashed"),
  "a reaction that was taken back": commenting(heart, unheart, "moved_on"),
  "a reaction in an archived Project": commenting(heart, (_path, made) => made.archive(), "project_archived"),
  "a reaction that was given again": commenting(hearted, heart, "moved_on"),
  "a reaction to a comment that was deleted": commenting(hearted, erase, "comment_deleted"),
  "a reaction for which there is no room": commenting(
    hearted,
    async (path) => {
      for (let index = 1; index <= 20; index++) await sent(author, "PUT", `${path}/reactions/r${index}`);
    },
    "limit_reached",
  ),
};

const timing =
  (
    act: (path: string) => Promise<Answer>,
    hinder: (path: string, made: Bench) => Promise<unknown>,
    ...codes: string[]
  ): HindranceCase =>
  async () => {
    const made = await bench();
    const path = `/time-entries/${(await newEntry(author, made.task.id)).id}`;
    return planted(await act(path), () => hinder(path, made), ...codes);
  };
const recording =
  (hinder: (path: string, made: Bench) => Promise<unknown>, ...codes: string[]): HindranceCase =>
  async () => {
    const made = await bench();
    const body = { duration: "30m", work_date: "2026-05-04" };
    const act = await sent(author, "POST", `${made.path}/time-entries`, body);
    return planted(act, () => hinder(`/time-entries/${act.body.id}`, made), ...codes);
  };
export const note = (text: string) => (path: string) => sent(author, "PATCH", path, { note: text });
const ofTime: Record<string, HindranceCase> = {
  "recorded time that was corrected": recording(note("Gears"), "moved_on"),
  "recorded time that was voided": recording(erase, "time_entry_voided"),
  "recorded time in an archived Project": recording((_path, made) => made.archive(), "project_archived"),
  "corrected time that was corrected again": timing(note("Gears"), note("Wheels"), "moved_on"),
  "corrected time that was voided": timing(note("Gears"), erase, "time_entry_voided"),
  "corrected time of a Task in the trash": timing(note("Gears"), trash, "task_trashed"),
  "voided time of a Task in the trash": timing(erase, trash, "task_trashed"),
  "voided time of a Task that is deleted": timing(erase, (_path, made) => made.remove(), "not_found"),
};

export const ofRedoing: Record<string, HindranceCase> = {
  "an assignee who has left": async () => {
    const [made, member] = [await bench(), await home.member("member")];
    const act = await made.patch(author, { assignee_actor_id: member.actorId });
    return planted(act, () => leave(member), "invalid_reference");
  },
  "a Milestone that is closed": async () => {
    const made = await bench();
    const milestone = await newMilestone(made.owner, made.project.id);
    const act = await made.patch(author, { milestone_id: milestone.id });
    return planted(act, () => close(milestone), "invalid_reference");
  },
  "a Status that is archived": async () => {
    const made = await bench();
    const milling = await newProjectStatus(running, home, made.project.id, "Milling");
    const act = await made.patch(author, { status_id: milling });
    return planted(act, () => retire(milling), "invalid_reference");
  },
  "a review that is required": async () => {
    const made = await bench();
    const act = await made.patch(author, { status_id: status("Done") });
    return planted(act, made.review, "review_required");
  },
  "an archived Project": changing({ priority: "low" }, (b) => b.archive(), "project_archived"),
  "a field that has changed": changing({ priority: "low" }, (b) => b.patch(b.owner, { priority: "high" }), "moved_on"),
  "a created Task that is restored": async () => {
    const made = await bench();
    const act = await sent(author, "POST", `/projects/${made.project.id}/tasks`, { title: "New" });
    return planted(act, () => sent(made.owner, "POST", `/tasks/${act.body.id}/restore`), "moved_on");
  },
  "a new Project that is archived": moving((b) => b.archive(b.other), "project_archived"),
  "a relation that exists again": async () => {
    const made = await related();
    return planted(await made.relate(author, "blocks"), () => made.relate(made.owner, "blocks"), "relation_exists");
  },
  "an edited comment of a Task in the trash": commenting(edit("Second"), trash, "task_trashed"),
  "a reaction to a comment that was deleted": commenting(heart, erase, "comment_deleted"),
  "a reaction of a Task in the trash": commenting(heart, trash, "task_trashed"),
  "recorded time of a Task in the trash": recording(trash, "task_trashed"),
};
export const ofUndoing = { ...ofTasks, ...ofMoves, ...ofRelations, ...ofComments, ...ofTime };
