// Saved views: filters and layout under a name. They belong to their creator and are stored by the service.
import type { Operations, Problem } from "@svc/client";
import { type FormEvent, useState } from "react";
import { t, why } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { projectPath, restOf } from "../../ui/address.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { groupings, orders } from "../list/arrangement.ts";
import { filterNames } from "./filters.ts";

type View = Awaited<ReturnType<Operations["listTaskSavedViews"]>>["items"][number];
const layouts = ["board", "list", "timeline", "calendar"] as const;
const understood = new Set<string>([...filterNames, "project_id", "sort"]);
const one = <T extends string>(all: readonly T[], value: string | null | undefined) =>
  all.find((each) => each === value);

/** Converts the address to a saved view, and back. */
function viewOf(name: string, projectId: string, { pathname, search }: Location) {
  const asked = new URLSearchParams(search);
  const kind = one(layouts, restOf(pathname).split("/")[2]) ?? "board";
  const filters = filterNames.flatMap((filter) => (asked.get(filter) ? [[filter, asked.get(filter)]] : []));
  // A board has no sort order: the cards have positions in their Status.
  const sort = one(orders, asked.get("order")?.replace(/^position$/, ""));
  return {
    name,
    query: { ...Object.fromEntries(filters), project_id: projectId, ...(sort && { sort }) },
    layout: { kind, group_by: one(groupings, asked.get("group")) ?? "status", columns: [] },
  };
}
function addressOf(key: string, { query, layout }: View): string {
  const { project_id: _, sort, ...filters } = query as Record<string, string>;
  const asked = new URLSearchParams(filters);
  if (sort) asked.set("order", sort);
  if (layout.kind === "list") asked.set("group", layout.group_by);
  return projectPath(key, layout.kind) + (asked.size > 0 ? `?${asked}` : "");
}

export default function SavedViews({ projectId, close }: { projectId: string; close: () => void }) {
  const { api, member, store } = useReplica();
  const workspace_id = member.workspaceId;
  const [code, setCode] = useState<string | null>(null);
  const { value, failed, again } = useReading("task-views", async (client) => {
    const found: View[] = [];
    for await (const view of client.listTaskSavedViews({ workspace_id, limit: 100 })) found.push(view);
    return found;
  });
  const key = store.get("project", projectId)?.key ?? "";
  // Hides views with parameters that this bar does not support, because they would show something else.
  const here = value?.filter(
    ({ query }) => query.project_id === projectId && Object.keys(query).every((name) => understood.has(name)),
  );
  const act = (work: Promise<unknown>) =>
    work.then(
      () => {
        setCode(null);
        return again();
      },
      ({ code: said, status }: Problem) => setCode(status === 0 ? "unreachable" : said),
    );
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get("name")).trim();
    if (name === "") return;
    // An existing name overwrites that view.
    const known = here?.find((view) => view.name === name);
    const fields = { workspace_id, ...viewOf(name, projectId, location) };
    void act(api.saveTaskView({ ...fields, ...(known && { view_id: known.id, revision: known.revision }) } as never));
    form.reset();
  }
  return (
    <div className="p-1">
      {!here ? (
        <Unread failed={failed} again={() => void again()} rows={3} />
      ) : here.length === 0 ? (
        <p className="px-2 py-1 text-soft">{t("views.none")}</p>
      ) : (
        <ul aria-label={t("views.title")}>
          {here.map((view) => (
            <li key={view.id} className="flex items-center">
              <Link to={addressOf(key, view)} onClickCapture={close} className="nav-item min-w-0 flex-1">
                <span className="min-w-0 flex-1 truncate">{view.name}</span>
                <span className="text-12 text-soft">{t(`view.${view.layout.kind}`)}</span>
              </Link>
              <IconButton
                icon="trash"
                label={`${t("milestone.delete")}: ${view.name}`}
                onClick={() =>
                  void act(api.deleteTaskView({ workspace_id, view_id: view.id, revision: view.revision }))
                }
              />
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={save} aria-label={t("views.save")} className="mt-1 flex gap-2 border-t border-line pt-2">
        <input
          name="name"
          maxLength={100}
          aria-label={t("views.name")}
          placeholder={t("views.name")}
          className="field min-w-0 flex-1"
        />
        <Button type="submit">{t("views.save")}</Button>
      </form>
      <p role="status" className="text-bad">
        {code && t("toast.refused", { why: why(code) })}
      </p>
    </div>
  );
}
