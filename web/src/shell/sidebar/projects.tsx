// Projects in the sidebar, in their shared order. Reordering works with the mouse, and with Alt and an arrow key on the
// focused Project.
import { type DragEvent, type KeyboardEvent, useState } from "react";
import { t } from "../../messages/t.ts";
import { ProjectMark } from "../../projects/mark.tsx";
import { Link, useAddress } from "../../router.tsx";
import { useReplica, useRow } from "../../store/react.ts";
import { projectPath, restOf } from "../../ui/address.ts";
import { IconButton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";

interface Props {
  title: string;
  ids: readonly string[];
  add?: () => void;
  /** Moves a Project behind another, or first. Without it the order is fixed. */
  move?: (id: string, afterId: string | null) => void;
}
const DRAGGED = "application/x-svc-project";

export function Projects({ title, ids, add, move }: Props) {
  const { store } = useReplica();
  const [said, setSaid] = useState("");
  const [over, setOver] = useState<string | null>(null);
  const put = (id: string, to: number) => {
    const others = ids.filter((each) => each !== id);
    if (!move || to < 0 || to > others.length || to === ids.indexOf(id)) return;
    move(id, others[to - 1] ?? null);
    const name = store.get("project", id)?.name ?? "";
    setSaid(t("shell.projectMoved", { name, place: to + 1, count: ids.length }));
  };
  const pressed = (id: string) => (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || step === undefined || !move) return;
    event.preventDefault();
    put(id, ids.indexOf(id) + step);
  };
  const dropped = (id: string) => (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(DRAGGED);
    setOver(null);
    if (!ids.includes(dragged) || dragged === id) return;
    event.preventDefault();
    put(dragged, ids.indexOf(id));
  };
  return (
    <section aria-label={title}>
      <div className="flex items-center justify-between pr-0.5 pl-2">
        <h2 className="text-11 font-medium text-soft">{title}</h2>
        {add && <IconButton icon="plus" label={t("shell.newProject")} onClick={add} className="size-6" />}
      </div>
      <ul>
        {ids.map((id) => (
          <li
            key={id}
            draggable={move !== undefined}
            onDragStart={(event) => event.dataTransfer.setData(DRAGGED, id)}
            onDragOver={(event) => {
              if (!move || !event.dataTransfer.types.includes(DRAGGED)) return;
              event.preventDefault();
              setOver(id);
            }}
            onDragLeave={() => setOver(null)}
            onDrop={dropped(id)}
            onKeyDown={pressed(id)}
            className={over === id ? "rounded-md ring-1 ring-accent" : ""}
          >
            <ProjectItem id={id} isMoved={move !== undefined} />
          </li>
        ))}
      </ul>
      <p aria-live="polite" className="sr-only">
        {said}
      </p>
    </section>
  );
}

function ProjectItem({ id, isMoved }: { id: string; isMoved: boolean }) {
  const project = useRow("project", id);
  const rest = restOf(useAddress().pathname);
  if (!project) return null;
  const isHere = rest === `projects/${project.key}` || rest.startsWith(`projects/${project.key}/`);
  return (
    <Link
      to={projectPath(project.key)}
      // Dragging moves the item, not its link.
      draggable={false}
      aria-current={isHere ? "page" : undefined}
      aria-keyshortcuts={isMoved ? "Alt+ArrowUp Alt+ArrowDown" : undefined}
      className="nav-item"
    >
      <ProjectMark project={project} />
      <span className="min-w-0 flex-1 truncate">{project.name}</span>
      {project.visibility === "private" && (
        <>
          <Icon name="lock" className="size-3.5 text-soft" />
          <span className="sr-only">{t("project.isPrivate")}</span>
        </>
      )}
    </Link>
  );
}
