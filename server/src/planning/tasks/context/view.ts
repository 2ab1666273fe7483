// What belongs to a Task, named for people: in place of an id a name, a code, a Status and its category. As SQL, for the surfaces that show it.

/** A person, or whoever else acts; null where there is no such Actor. */
export const personName = (workspaceId: string, actorId: string) => `
(select json_build_object('username', u.username, 'display_name', coalesce(u.display_name, acting.name))
 from actors acting left join users u on u.id = acting.user_id where acting.workspace_id = ${workspaceId} and acting.id = ${actorId})`;
/** A Status, a project state or a stage: whatever has a name and a category. */
export const stepName = (
  table: "statuses" | "project_states" | "lifecycle_stages",
  workspaceId: string,
  id: string,
) => `
(select json_build_object('name', named.name, 'category', named.category) from ${table} named where named.workspace_id = ${workspaceId} and named.id = ${id})`;
/** The Project is p. Its number is only unique there. */
export const milestoneCodeOf = (workspaceId: string, id: string) => `
(select p.key || '-M' || coded.number from milestones coded where coded.workspace_id = ${workspaceId} and coded.id = ${id})`;
/** The pairs of one Task in somebody else's context, t in Project p. */
export const relatedPairs = `'id', t.id, 'code', p.key || '-' || t.number, 'title', t.title, 'priority', t.priority,
  'status', ${stepName("statuses", "t.workspace_id", "t.status_id")}, 'due_date', t.due_date`;
