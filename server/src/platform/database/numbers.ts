// Allocates the numbers of a Project's Tasks, permanently and on a connection of its own: allocated within the write
// that uses it, a number would block every other writer of the Project until that write's commit. Callers that arrive
// during a query share the next one. A failed write leaves a gap.
//
// Under a high rate numbers are reserved in blocks: while a backup holds its snapshot, dead versions of the counter's
// row are not removed, and each query has to scan all of them. Unused numbers are returned, unless another process has
// counted on.
import type { Pool } from "./db.ts";

const TENANT = "select set_config('svc.workspace', $1, true)";
const TAKE = `
update task_counters set last_number = last_number + $3::int where workspace_id = $1 and project_id = $2
returning last_number::text as last`;
const GIVE_BACK = `
update task_counters set last_number = last_number - $3::int
where workspace_id = $1 and project_id = $2 and last_number = $4::bigint`;

export interface Counter {
  /** Adds `count` to the counter and resolves to its new value. */
  take(workspaceId: string, projectId: string, count: number): Promise<bigint>;
  /** Subtracts `count` from the counter if `last` is still its value. */
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

/** Above this rate per window, numbers are reserved in blocks of AHEAD. */
const MANY = 32;
const WINDOW_MS = 250;
const AHEAD = 64;

interface Asking {
  resolve(number: bigint): void;
  reject(error: unknown): void;
}

/** State of a Project in this process while Tasks are created in it. */
class Project {
  asking: Asking[] = [];
  isAsked = false;
  /** Numbers after `given`, up to and including `last`, are reserved. */
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
        // Also serves the callers that arrived meanwhile.
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
    // `ask` sets the timer again when it ends.
    if (project.isAsked) return;
    projects.delete(projectId);
    const left = Number(project.last - project.given);
    // Numbers that cannot be returned leave a gap.
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
