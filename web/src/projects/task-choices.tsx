// Task choices for the typed text: matches in the store at once, then the service's search results.
import { useEffect, useMemo, useState } from "react";
import { useReplica } from "../store/react.ts";
import type { Relation } from "../store/rows.ts";
import { StatusIcon } from "../ui/icons.tsx";
import type { PickerOption } from "../ui/overlays/picker.tsx";

type Related = Relation["related_task"];
const AFTER_MS = 150;
const MOST = 20;
const fold = (text: string) => text.toLowerCase();

/** `near` offers the member's own open Tasks before anything is typed. */
export function useTaskChoices({ exceptId = "", near = false }: { exceptId?: string; near?: boolean }) {
  const replica = useReplica();
  const { store, api, member } = replica;
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly Related[]>([]);
  useEffect(() => {
    if (text === "" && !near) return setFound([]);
    let current = true;
    const timer = setTimeout(() => {
      api
        .listReferenceOptions({
          workspace_id: member.workspaceId,
          ...(text && { q: text }),
          kinds: "task",
          limit: MOST,
        })
        .then(
          ({ items }) =>
            current &&
            setFound(
              items.map(({ id, code, name, project_id }) => ({
                id,
                code: code as Related["code"],
                title: name ?? "",
                project_id: project_id ?? "",
                status_id: "",
                category: "unstarted" as const,
                assignee_actor_id: null,
                trashed_at: null,
              })),
            ),
          () => {},
        );
    }, AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [api, member, text, near]);
  const tasks = useMemo(() => {
    const words = fold(text);
    const here: Related[] = [];
    for (const task of store.all("task")) {
      if (here.length >= MOST) break;
      if (task.id === store.real(exceptId) || task.trashed_at || task.code === "") continue;
      if (!fold(`${task.code} ${task.title}`).includes(words)) continue;
      here.push({ ...task, category: store.get("status", task.status_id)?.category ?? "unstarted" });
    }
    const others = found.filter(({ id }) => id !== store.real(exceptId));
    const inOrder = text === "" ? [...others, ...here] : [...here, ...others];
    // Store rows have more fields than search results; the Map replaces the value but preserves the position of the
    // first.
    return [...new Map([...inOrder, ...here].map((task) => [task.id, task])).values()];
  }, [store, text, found, exceptId]);
  const options = tasks.map(({ id, code, title, status_id, category }): PickerOption => {
    const status = store.get("status", status_id);
    return {
      id,
      label: title,
      words: `${code} ${text}`,
      hint: code,
      icon: <StatusIcon category={status?.category ?? category} color={status?.color} />,
    };
  });
  const find = (id: string) => tasks.find((task) => task.id === id) as Related;
  return { options, typed: setText, text, find };
}
