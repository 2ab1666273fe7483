// Dialog for a new Task, available everywhere. The draft is stored until the Task is created or discarded.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { useAddress } from "../router.tsx";
import { useReplica, useStore } from "../store/react.ts";
import type { Task } from "../store/rows.ts";
import { restOf } from "../ui/address.ts";
import { colourOf } from "../ui/colour.ts";
import { Button } from "../ui/controls.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Picker } from "../ui/overlays/picker.tsx";
import { create } from "./actions.ts";
import { AssigneePicker, DatePicker, PriorityPicker, StatusPicker, useColumns } from "./properties.tsx";

interface Draft {
  title: string;
  description: string;
  projectId: string | null;
  status_id: string | null;
  priority: Task["priority"];
  assignee_actor_id: string | null;
  due_date: string | null;
}
const KEY = "draft:task";
const nothing: Draft = {
  title: "",
  description: "",
  projectId: null,
  status_id: null,
  priority: "none",
  assignee_actor_id: null,
  due_date: null,
};
/** Sets the draft of the next new Task. */
export const draftTask = (draft: Partial<Draft>) =>
  sessionStorage.setItem(KEY, JSON.stringify({ ...nothing, ...draft }));

export function NewTask({ close }: { close: () => void }) {
  const replica = useReplica();
  const { store } = replica;
  const key = /^projects\/([^/]+)/.exec(restOf(useAddress().pathname))?.[1];
  const projects = [...store.all("project")].filter(({ archived_at }) => !archived_at);
  const here = projects.find((project) => project.key === key)?.id;
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = { ...nothing, ...(JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Draft>) };
    return {
      ...kept,
      projectId:
        kept.projectId && store.get("project", kept.projectId) ? kept.projectId : (here ?? projects[0]?.id ?? null),
    };
  });
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => sessionStorage.setItem(KEY, JSON.stringify(draft)), [draft]);
  useEffect(() => title.current?.focus(), []);
  const project = useStore((all) => (draft.projectId ? all.store.get("project", draft.projectId) : undefined));
  const columns = useColumns(project?.id);
  const starting = columns.find((id) => store.get("status", id)?.category === "unstarted") ?? columns[0];
  const status = draft.status_id ?? starting;
  const put = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  function send() {
    if (draft.title.trim() === "" || !project) return title.current?.focus();
    const { description, projectId: _, status_id: __, ...fields } = draft;
    create(replica, project.id, {
      ...fields,
      title: draft.title.trim(),
      ...(status && { status_id: status }),
      ...(description.trim() && { description_markdown: description }),
    });
    sessionStorage.removeItem(KEY);
    close();
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
  };
  return (
    <Dialog label={t("new.title")} at="top" close={close}>
      <form
        onKeyDown={pressed}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        className="p-4"
      >
        <Picker
          label={t("task.project")}
          value={project?.name}
          options={projects.map(({ id, name, key, color }) => ({
            id,
            label: name,
            words: key,
            hint: key,
            icon: <span aria-hidden="true" style={{ background: colourOf(color) }} className="size-3 rounded-sm" />,
          }))}
          chosen={draft.projectId ? [draft.projectId] : []}
          pick={(projectId) => put({ projectId, status_id: null })}
        >
          {project?.name ?? t("new.noProject")}
        </Picker>
        <input
          ref={title}
          aria-label={t("task.title")}
          placeholder={t("new.what")}
          maxLength={500}
          value={draft.title}
          onChange={(event) => put({ title: event.target.value })}
          className="mt-3 w-full bg-transparent text-16 font-medium outline-none placeholder:text-soft"
        />
        <textarea
          aria-label={t("task.description")}
          placeholder={t("new.more")}
          rows={4}
          value={draft.description}
          onChange={(event) => put({ description: event.target.value })}
          className="mt-2 field-sizing-content max-h-64 min-h-20 w-full resize-none bg-transparent outline-none placeholder:text-soft"
        />
        <div className="mt-2 flex flex-wrap items-center gap-1">
          {status && (
            <StatusPicker long projectId={project?.id} value={status} pick={(status_id) => put({ status_id })} />
          )}
          <PriorityPicker long value={draft.priority} pick={(priority) => put({ priority })} />
          <AssigneePicker
            long
            value={draft.assignee_actor_id}
            pick={(assignee_actor_id) => put({ assignee_actor_id })}
          />
          <DatePicker label={t("task.due")} long value={draft.due_date} pick={(due_date) => put({ due_date })} />
        </div>
        <div className="mt-4 flex justify-end gap-2 border-t border-line pt-3">
          <Button onClick={close}>{t("ui.cancel")}</Button>
          <Button look="first" type="submit">
            {t("new.create")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
