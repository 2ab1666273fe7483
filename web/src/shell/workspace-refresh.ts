// Keeps the shared rows of a Workspace fresh. It subscribes before the hints start: the first baseline may arrive
// before the script of the page.

import { forgetAhead } from "../first-paint/prefetch.ts";
import { orderedProjects } from "../projects/operations.ts";
import type { Replica } from "../store/replica.ts";
import { heldProjects, loadedFact, loadLabels, reloadProjects } from "../tasks/load.ts";
import { loadHome, loadPeople, loadWorkspace } from "../workspace/load.ts";
import { openProjectId } from "./pages.tsx";

export function keepFresh(replica: Replica) {
  const quietly = (work: Promise<unknown>) => void work.catch(() => {});
  replica.refresh = async () => {
    const held = heldProjects(replica);
    // Hints cover all changes from here on: a response prefetched earlier must not overwrite them.
    await loadWorkspace(replica).finally(forgetAhead);
    await reloadProjects(replica, held, openProjectId(replica));
  };
  replica.onHints((hints) => {
    // The leader tab reads; all tabs receive its rows.
    if (!replica.leads) return;
    if (hints.some(({ kind }) => kind === "member" || kind === "agent")) quietly(loadPeople(replica));
    if (hints.some(({ kind }) => /inbox|project_shortcuts|^project$/.test(kind))) quietly(loadHome(replica));
    // A created or removed Status adds or removes a column on every board.
    if (hints.some(({ kind, action }) => kind === "status" && action !== "changed")) quietly(replica.refresh());
    if (hints.some(({ kind, action }) => kind === "project" && action === "created")) quietly(loadWorkspace(replica));
    // The order is a separate row: moving a Project does not change its revision.
    else if (hints.some(({ kind }) => kind === "project"))
      quietly(orderedProjects(replica.api, replica.member.workspaceId).then(replica.take));
  });
  // A label override is a separate row and does not change the label.
  replica.onHints((hints) => {
    const labelled = hints.flatMap(({ kind, project_id }) => (kind === "label" && project_id ? [project_id] : []));
    for (const id of new Set(labelled)) if (replica.store.fact(loadedFact(id))) void loadLabels(replica, id);
  });
}
