// Generated histories: several people do in one Workspace what people do, at random but from a seed: make and change
// things, move them, hide Projects and let each other in, change roles, delete, and take back. What is refused is
// refused; whatever is done must be told.
import type { Options, Person, World } from "./world.ts";
import { newKey } from "./world.ts";

/** Numbers in [0, 1) from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Made = Record<
  "projects" | "tasks" | "comments" | "milestones" | "labels" | "documents" | "entries" | "statuses",
  string[]
>;

export class History {
  private readonly home: World;
  private readonly people: readonly Person[];
  private readonly random: () => number;
  private readonly made: Made = {
    projects: [],
    tasks: [],
    comments: [],
    milestones: [],
    labels: [],
    documents: [],
    entries: [],
    statuses: [],
  };
  private readonly commands: string[] = [];
  /** What was done, in words: what a failure is shown with. */
  readonly steps: string[] = [];

  constructor(home: World, people: readonly Person[], seed: number) {
    this.home = home;
    this.people = people;
    this.random = randomOf(seed);
  }

  private pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)] as T;
  private word = () => Math.floor(this.random() * 1e9).toString(36);
  private one = (kind: keyof Made) => this.pick(this.made[kind]) ?? "00000000-0000-7000-8000-000000000000";

  private async send(method: string, path: string, body?: object, revised?: string) {
    const person = this.pick(this.people);
    const options: Options = { key: newKey(), ...(body && { body }) };
    if (revised) {
      const { body: found } = await person.call("GET", revised);
      options.ifMatch = found?.[path.endsWith("/markdown") ? "content_revision" : "revision"] ?? "1";
    }
    const answer = await person.call(method, path, options);
    if (answer.status < 300) {
      this.steps.push(`${this.people.indexOf(person)} ${method} ${path} ${JSON.stringify(body ?? null)}`);
      const command = answer.headers.get("x-svc-command-id");
      if (command) this.commands.push(command);
    }
    return answer.status < 300 ? answer.body : undefined;
  }
  private async make(kind: keyof Made, path: string, body: object) {
    const made = await this.send("POST", path, body);
    if (made?.id) this.made[kind].push(made.id);
  }
  private patch = (path: string, body: object) => this.send("PATCH", path, body, path);

  private acts(): Record<string, () => Promise<unknown>> {
    const { workspaceId, owner } = this.home;
    const W = `/workspaces/${workspaceId}`;
    const [project, task, comment, document] = [
      this.one("projects"),
      this.one("tasks"),
      this.one("comments"),
      this.one("documents"),
    ];
    const person = this.pick(this.people);
    return {
      project: () =>
        this.make("projects", `${W}/projects`, {
          key: `H${this.word()}`.slice(0, 8).toUpperCase(),
          name: this.word(),
          visibility: this.pick(["workspace", "private"]),
        }),
      rename: () => this.patch(`/projects/${project}`, { name: this.word() }),
      hide: () => this.patch(`/projects/${project}`, { visibility: "private" }),
      open: () => this.patch(`/projects/${project}`, { visibility: "workspace" }),
      dropProject: () =>
        this.random() < 0.3
          ? this.send("DELETE", `/projects/${project}`, undefined, `/projects/${project}`)
          : Promise.resolve(),
      letIn: () =>
        this.send("POST", `/projects/${project}/members`, {
          actor_id: person.actorId,
          role: this.pick(["member", "lead", "viewer"]),
        }),
      letOut: () =>
        this.send(
          "DELETE",
          `/projects/${project}/members/${person.actorId}`,
          undefined,
          `/projects/${project}/members/${person.actorId}`,
        ),
      role: async () => {
        const { body } = await owner.call("GET", `${W}/members?limit=100`);
        const member = body.items.find(({ user_id }: { user_id: string }) => user_id === person.userId);
        const role = this.pick(["admin", "member", "viewer"]);
        await this.send("PATCH", `${W}/members/${member?.id}`, { role }, `${W}/members/${member?.id}`);
      },
      task: () => this.make("tasks", `/projects/${project}/tasks`, { title: this.word() }),
      another: () => this.make("tasks", `/projects/${project}/tasks`, { title: this.word() }),
      retitle: () => this.patch(`/tasks/${task}`, { title: this.word() }),
      assign: () =>
        this.patch(`/tasks/${task}`, {
          assignee_actor_id: person.actorId,
          priority: this.pick(["none", "low", "high"]),
        }),
      plan: () => this.patch(`/tasks/${task}`, { milestone_id: this.one("milestones"), due_date: "2027-01-01" }),
      label: () => this.patch(`/tasks/${task}`, { label_ids: [this.one("labels")] }),
      move: () => this.send("POST", `/tasks/${task}/move`, { project_id: project }, `/tasks/${task}`),
      relate: () =>
        this.send("POST", `/tasks/${task}/relations`, { type: "blocks", related_task_id: this.one("tasks") }),
      duplicate: () => this.make("tasks", `/tasks/${task}/duplicate`, {}),
      trash: () => this.send("POST", `/tasks/${task}/trash`, undefined, `/tasks/${task}`),
      takeOut: () => this.send("POST", `/tasks/${task}/restore`, undefined, `/tasks/${task}`),
      drop: () => this.send("DELETE", `/tasks/${task}`, undefined, `/tasks/${task}`),
      bulk: () =>
        this.send("POST", `${W}/tasks/bulk`, { task_ids: [task, this.one("tasks")], changes: { priority: "urgent" } }),
      comment: () => this.make("comments", `/tasks/${task}/comments`, { markdown: this.word() }),
      say: () => this.make("comments", `/tasks/${task}/comments`, { markdown: this.word() }),
      edit: () => this.patch(`/comments/${comment}`, { markdown: this.word() }),
      unsay: () => this.send("DELETE", `/comments/${comment}`, undefined, `/comments/${comment}`),
      react: () => this.send("PUT", `/comments/${comment}/reactions/heart`),
      milestone: () => this.make("milestones", `/projects/${project}/milestones`, { name: this.word() }),
      dropMilestone: () =>
        this.send(
          "DELETE",
          `/milestones/${this.one("milestones")}`,
          undefined,
          `/milestones/${this.one("milestones")}`,
        ),
      newLabel: () =>
        this.make("labels", this.random() < 0.5 ? `${W}/label-definitions` : `/projects/${project}/label-definitions`, {
          name: this.word(),
          color: "#336699",
        }),
      dropLabel: () => this.send("DELETE", `/label-definitions/${this.one("labels")}`),
      document: () =>
        this.make("documents", `${W}/documents`, {
          title: this.word(),
          ...(this.random() < 0.6 && { project_id: project }),
          ...(this.random() < 0.3 && { parent_id: document }),
        }),
      write: () =>
        this.send("PUT", `/documents/${document}/markdown`, { markdown: this.word() }, `/documents/${document}`),
      redraw: () => this.patch(`/documents/${document}`, { title: this.word() }),
      carry: () =>
        this.patch(
          `/documents/${document}`,
          this.random() < 0.5 ? { parent_id: this.one("documents") } : { project_id: project, parent_id: null },
        ),
      bin: () => this.send("DELETE", `/documents/${document}`, undefined, `/documents/${document}`),
      unbin: () => this.send("POST", `/documents/${document}/restore`, undefined, `/documents/${document}`),
      time: () => this.make("entries", `/tasks/${task}/time-entries`, { work_date: "2026-11-02", seconds: 600 }),
      untime: () =>
        this.send("DELETE", `/time-entries/${this.one("entries")}`, undefined, `/time-entries/${this.one("entries")}`),
      status: () => this.make("statuses", `/projects/${project}/statuses`, { name: this.word(), category: "started" }),
      undo: () => this.send("POST", `/commands/${this.pick(this.commands)}/undo`),
      takeBack: () => this.send("POST", `/commands/${this.pick(this.commands.slice(-4))}/undo`),
      redo: () => this.send("POST", `/commands/${this.pick(this.commands.slice(-4))}/redo`),
    };
  }

  /** So many attempts, of which some are refused. */
  async go(steps: number) {
    const begin = [
      "project",
      "project",
      "project",
      "task",
      "task",
      "task",
      "comment",
      "document",
      "newLabel",
      "milestone",
    ];
    const isNew = this.steps.length === 0;
    for (let step = 0; step < steps; step++) {
      const acts = this.acts();
      const name = isNew && step < begin.length ? (begin[step] as string) : this.pick(Object.keys(acts));
      await acts[name]?.();
    }
  }
}
