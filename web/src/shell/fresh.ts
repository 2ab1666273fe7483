// Keeps what every page of a Workspace needs up to date. It is set up before anything is followed: the first baseline may be answered before the page's own script is here.
import { orderedProjects } from "../projects/operations.ts";
import type { Replica } from "../store/replica.ts";
import { heldProjects, loadedFact, loadLabels, reloadProjects } from "../tasks/load.ts";
import { forgetAhead } from "./ahead.ts";
import { loadHome, loadPeople, loadWorkspace } from "./load.ts";
import { openProjectId } from "./pages.tsx";

export function keepFresh(replica: Replica) {
  const quietly = (work: Promise<unknown>) => void work.catch(() => {});
  replica.refresh = async () => {
    const held = heldProjects(replica);
    // From then on changes are told: what was answered before them is not to be taken behind them.
    await loadWorkspace(replica).finally(forgetAhead);
    await reloadProjects(replica, held, openProjectId(replica));
  };
  replica.onHints((hints) => {
    // What one tab brings, all of them have.
    if (!replica.leads) return;
    if (hints.some(({ kind }) => kind === "member" || kind === "agent")) quietly(loadPeople(replica));
    if (hints.some(({ kind }) => /inbox|project_shortcuts|^project$/.test(kind))) quietly(loadHome(replica));
    // A Status that came or went is a column of every board.
    if (hints.some(({ kind, action }) => kind === "status" && action !== "changed")) quietly(replica.refresh());
    if (hints.some(({ kind, action }) => kind === "project" && action === "created")) quietly(loadWorkspace(replica));
    // The order is no part of a Project: a move leaves its revision.
    else if (hints.some(({ kind }) => kind === "project"))
      quietly(orderedProjects(replica.api, replica.member.workspaceId).then(replica.take));
  });
  // How a Project shows a label is no part of the label.
  replica.onHints((hints) => {
    const labelled = hints.flatMap(({ kind, project_id }) => (kind === "label" && project_id ? [project_id] : []));
    for (const id of new Set(labelled)) if (replica.store.fact(loadedFact(id))) void loadLabels(replica, id);
  });
}
