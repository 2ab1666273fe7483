// The numbers of the Tasks of a Project. They are given out for good, on a connection of their own: taken within the write that uses it, a number
// would keep everybody else of the Project waiting for that write's commit. All who ask while a question is under way share the next one. A
// write that fails leaves a gap.
import type { Pool } from "./db.ts";

const TENANT = "select set_config('svc.workspace', $1, true)";
const TAKE = `
update task_counters set last_number = last_number + $3::int where workspace_id = $1 and project_id = $2 returning last_number::text as last`;

/** Counts up: the last of so many. */
type Take = (workspaceId: string, projectId: string, count: number) => Promise<bigint>;
export type Numbers = (workspaceId: string, projectId: string) => Promise<bigint>;

export const takeFrom =
  (pool: Pool): Take =>
  (workspaceId, projectId, count) =>
    pool.use(async (tx) => {
      const [, { last }] = await Promise.all([
        tx.rows(TENANT, [workspaceId]),
        tx.one<{ last: string }>(TAKE, [workspaceId, projectId, count]),
      ]);
      return BigInt(last);
    }, workspaceId);

interface Asking {
  resolve(number: bigint): void;
  reject(error: unknown): void;
}

export function numbers(take: Take): Numbers {
  const waiting = new Map<string, Asking[]>();
  async function ask(workspaceId: string, projectId: string) {
    for (;;) {
      const asking = waiting.get(projectId) ?? [];
      if (asking.length === 0) return void waiting.delete(projectId);
      waiting.set(projectId, []);
      try {
        const last = await take(workspaceId, projectId, asking.length);
        for (const [at, { resolve }] of asking.entries()) resolve(last - BigInt(asking.length - 1 - at));
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
  }
  return (workspaceId, projectId) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(projectId);
      if (others) return void others.push({ resolve, reject });
      waiting.set(projectId, [{ resolve, reject }]);
      void ask(workspaceId, projectId);
    });
}
