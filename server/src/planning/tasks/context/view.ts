// SQL that replaces ids of a Task by readable values: a name, a code, a Status and its category.

/** Name of any Actor, human or not; null if there is no such Actor. */
export const personName = (workspaceId: string, actorId: string) => `
(select json_build_object('username', u.username, 'display_name', coalesce(u.display_name, acting.name))
 from actors acting left join users u on u.id = acting.user_id
 where acting.workspace_id = ${workspaceId} and acting.id = ${actorId})`;
/** Name and category of a Status, a Project state or a stage. */
export const stepName = (
  table: "statuses" | "project_states" | "lifecycle_stages",
  workspaceId: string,
  id: string,
) => `
(select json_build_object('name', named.name, 'category', named.category) from ${table} named
where named.workspace_id = ${workspaceId} and named.id = ${id})`;
/** Code of a Milestone in Project p; its number is unique only there. */
export const milestoneCodeOf = (workspaceId: string, id: string) => `
(select p.key || '-M' || coded.number from milestones coded
where coded.workspace_id = ${workspaceId} and coded.id = ${id})`;
/** JSON pairs of a Task t in Project p that appears in another Task's context. */
export const relatedPairs = `'id', t.id, 'code', p.key || '-' || t.number, 'title', t.title, 'priority', t.priority,
  'status', ${stepName("statuses", "t.workspace_id", "t.status_id")}, 'due_date', t.due_date`;
