// The numbers of the Tasks of a Project. They are given out for good, on a connection of their own: taken within the write that uses it, a number
// would keep everybody else of the Project waiting for that write's commit. All who ask while a question is under way share the next one. A
// write that fails leaves a gap.
//
// Where many are created at once, some are taken ahead: while a backup holds its snapshot, no version of the counter's row goes away, and each
// question has to walk over all that were left behind. What is not used is given back, unless another process has counted on.
import type { Pool } from "./db.ts";

const TENANT = "select set_config('svc.workspace', $1, true)";
const TAKE = `
update task_counters set last_number = last_number + $3::int where workspace_id = $1 and project_id = $2 returning last_number::text as last`;
const GIVE_BACK = `
update task_counters set last_number = last_number - $3::int where workspace_id = $1 and project_id = $2 and last_number = $4::bigint`;

export interface Counter {
  /** Counts up: the last of so many. */
  take(workspaceId: string, projectId: string, count: number): Promise<bigint>;
  /** Counts down by so many, where this is still the last. */
  giveBack(workspaceId: string, projectId: string, count: number, last: bigint): Promise<unknown>;
}
export type Numbers = (workspaceId: string, projectId: string) => Promise<bigint>;

export function counterIn(pool: Pool): Counter {
  const ask = <T>(workspaceId: string, sql: string, values: unknown[]) =>
    pool.use(async (tx) => {
      const [, rows] = await Promise.all([tx.rows(TENANT, [workspaceId]), tx.rows<T>(sql, [workspaceId, ...values])]);
      return rows;
    }, workspaceId);
  return {
    async take(workspaceId, projectId, count) {
      const [row] = await ask<{ last: string }>(workspaceId, TAKE, [projectId, count]);
      if (!row) throw new Error("a Project without a counter");
      return BigInt(row.last);
    },
    giveBack: (workspaceId, projectId, count, last) => ask(workspaceId, GIVE_BACK, [projectId, count, String(last)]),
  };
}

/** More than so many in a window are many. */
const MANY = 32;
const WINDOW_MS = 250;
const AHEAD = 64;

interface Asking {
  resolve(number: bigint): void;
  reject(error: unknown): void;
}

/** What a process knows of a Project while Tasks are created in it. */
class Project {
  asking: Asking[] = [];
  isAsked = false;
  /** What was taken ahead comes after the one, up to the other. */
  given = 0n;
  last = 0n;
  letGo: NodeJS.Timeout | undefined;
  private began = Number.NEGATIVE_INFINITY;
  private counted = 0;
  private before = 0;

  count(): void {
    const age = performance.now() - this.began;
    if (age >= WINDOW_MS) {
      this.before = age < 2 * WINDOW_MS ? this.counted : 0;
      this.counted = 0;
      this.began += age;
    }
    this.counted++;
  }

  get ahead(): number {
    return Math.max(this.counted, this.before) > MANY ? AHEAD : 0;
  }
}

export function numbers(counter: Counter): Numbers {
  const projects = new Map<string, Project>();

  async function ask(workspaceId: string, projectId: string, project: Project) {
    project.isAsked = true;
    while (project.asking.length > 0) {
      const { ahead } = project;
      const asking = project.asking.splice(0);
      try {
        const last = await counter.take(workspaceId, projectId, asking.length + ahead);
        project.last = last;
        project.given = last - BigInt(asking.length + ahead);
        // Also to those who came meanwhile.
        for (const { resolve } of [...asking, ...project.asking.splice(0, ahead)]) resolve(++project.given);
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
    project.isAsked = false;
    clearTimeout(project.letGo);
    project.letGo = setTimeout(letGo, 2 * WINDOW_MS, workspaceId, projectId, project).unref();
  }

  function letGo(workspaceId: string, projectId: string, project: Project) {
    // It is set again when that ends.
    if (project.isAsked) return;
    projects.delete(projectId);
    const left = Number(project.last - project.given);
    // What cannot be given back is a gap.
    if (left > 0) void counter.giveBack(workspaceId, projectId, left, project.last).catch(() => {});
  }

  return (workspaceId, projectId) => {
    const project = projects.get(projectId) ?? new Project();
    projects.set(projectId, project);
    project.count();
    if (!project.isAsked && project.given < project.last) return Promise.resolve(++project.given);
    return new Promise((resolve, reject) => {
      project.asking.push({ resolve, reject });
      if (!project.isAsked) void ask(workspaceId, projectId, project);
    });
  };
}
