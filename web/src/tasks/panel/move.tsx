// Dialog that chooses the Project to move a Task to.
import { t } from "../../messages/t.ts";
import { ProjectMark } from "../../projects/mark.tsx";
import { useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Choices } from "../../ui/overlays/picker.tsx";
import { moveTo, otherProjects } from "../move-task.ts";

export function MoveTask({ task, moved, close }: { task: Task; moved: (key: string) => void; close: () => void }) {
  const replica = useReplica();
  const projects = otherProjects(replica, task);
  const label = t("panel.move");
  return (
    <Dialog label={label} at="top" close={close}>
      <div className="p-2">
        <p className="px-2 pb-1 text-12 text-soft">
          {task.code} {task.title}
        </p>
        <Choices
          label={label}
          options={projects.map((project) => ({
            id: project.id,
            label: project.name,
            words: project.key,
            hint: project.key,
            icon: <ProjectMark project={project} />,
          }))}
          pick={(id) => {
            moveTo(replica, task.id, id);
            close();
            moved(projects.find((project) => project.id === id)?.key ?? "");
          }}
        />
      </div>
    </Dialog>
  );
}
