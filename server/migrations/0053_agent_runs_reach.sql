-- The Projects that a run could read when it said what it wants and what it found: its initiator reads that as long as all of them are open to them. Null: made by a release
-- before this one. What was there already is held to what its initiator sees now, and to what it was about. Decision 0198.
alter table agent_runs add column reached_project_ids uuid[];
update agent_runs r set reached_project_ids = array(
  select p.id from projects p
  left join agents a on a.workspace_id = r.workspace_id and a.id = r.agent_id
  left join memberships m on m.workspace_id = r.workspace_id and m.actor_id = r.initiator_actor_id and m.state = 'active'
  where p.workspace_id = r.workspace_id and (
    p.id = r.project_id
    or exists (
      select from agent_outputs o
      where o.workspace_id = r.workspace_id and o.run_id = r.id and o.resource ->> 'kind' = 'project' and (o.resource ->> 'id')::uuid = p.id)
    or r.project_id is null and (cardinality(a.project_ids) = 0 or p.id = any(a.project_ids)) and p.visibility <> 'workspace' and (m.role in ('owner', 'admin') or exists (
      select from project_members x where x.workspace_id = p.workspace_id and x.project_id = p.id and x.actor_id = r.initiator_actor_id))));
