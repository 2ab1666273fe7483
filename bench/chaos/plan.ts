// Chooses the next write of a lane. A lane changes only its own Task, so that every update must succeed with the next
// revision; all lanes change a few contested Tasks, so that one wins and the others are refused.
import type { Definite, Write, WriteKind } from "./ledger.ts";

export interface PlannedTask {
  id: string;
  revision: string;
}
interface Answered {
  id: string;
  revision: string;
  current_revision?: string;
}

export function plans({ workspaceId }: { workspaceId: string }) {
  const projects: string[] = [];
  const shared = new Map<string, PlannedTask>();
  let count = 0;
  const mark = (lane: number | string) => `w${String(lane).padStart(2, "0")}-${String(++count).padStart(6, "0")}`;
  const one = <T>(items: readonly T[], random: () => number) => items[Math.floor(random() * items.length)] as T;

  function post(kind: WriteKind, id: string, path: string, body: Record<string, string>): Write {
    return { id, kind, method: "POST", path, body };
  }
  const create = (id: string, projectId: string) => post("create", id, `/projects/${projectId}/tasks`, { title: id });
  function update(id: string, { id: target, revision }: PlannedTask): Write {
    return { id, kind: "update", method: "PATCH", path: `/tasks/${target}`, body: { title: id }, target, revision };
  }

  return {
    /** Creates another Project until there are two; a planted bug may make one unusable. */
    project(): Write | null {
      const id = mark("p");
      const key = `CH${id.slice(-6)}`;
      return projects.length < 2 ? post("project", id, `/workspaces/${workspaceId}/projects`, { key, name: id }) : null;
    },
    begin(answer: Definite | null): boolean {
      if (answer?.status !== 201) return false;
      projects.push(JSON.parse(answer.body).id);
      return true;
    },
    contested: (): Write[] =>
      projects.map((projectId) => ({ ...create(mark("s"), projectId), contested: true as const })),

    next(lane: number, random: () => number, own: PlannedTask | null): Write {
      const id = mark(lane);
      const choice = random();
      const contested = shared.size > 0 && choice < 0.15 ? one([...shared.values()], random) : null;
      if (contested) return { ...update(id, contested), contested: true };
      if (own === null || choice < 0.4) return create(id, one(projects, random));
      if (choice < 0.6)
        return { ...post("comment", id, `/tasks/${own.id}/comments`, { markdown: id }), target: own.id };
      return update(id, own);
    },

    /** The lane's own Task after this answer; null if its state is unknown. */
    learn(write: Write, answer: Definite | null, own: PlannedTask | null): PlannedTask | null {
      if (write.kind === "comment") return own;
      const told = answer?.body.startsWith("{") ? (JSON.parse(answer.body) as Answered) : null;
      const revision = told?.current_revision ?? told?.revision;
      const known = revision === undefined ? null : { id: write.target ?? (told as Answered).id, revision };
      if (!write.contested) return answer !== null && answer.status < 300 ? known : null;
      if (known && BigInt(known.revision) > BigInt(shared.get(known.id)?.revision ?? "0")) shared.set(known.id, known);
      return own;
    },
  };
}
