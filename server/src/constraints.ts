// Which code a constraint of the schema answers with: rules that only the database can hold under any interleaving.
import type { Constraints } from "./kernel/translate.ts";

export const constraints: Constraints = {
  users_email_taken: { code: "email_taken", field: "email" },
  users_username_taken: { code: "username_taken", field: "username" },
  workspaces_slug_taken: { code: "slug_taken", field: "slug" },
  workspaces_free_claimed: { code: "free_workspace_claimed" },
  projects_key_taken: { code: "project_key_taken", field: "key" },
  project_members_pkey: { code: "already_member", field: "actor_id" },
  projects_dates: { code: "invalid_dates", field: ["start_date", "target_date"] },
  passkeys_credential: { code: "identity_taken", field: "response" },
  projects_private: { code: "project_private", field: "published" },
  project_states_name_taken: { code: "name_taken", field: "name" },
  label_definitions_name_taken: { code: "name_taken", field: "name" },
  milestones_dates: { code: "invalid_dates", field: ["start_date", "target_date"] },
  invitations_pending: { code: "invitation_pending", field: "email" },
  lifecycle_migrations_pending: { code: "lifecycle_migration_pending" },
  tasks_workspace_id_status_id_fkey: { code: "invalid_reference", field: "status_id" },
  comments_workspace_id_task_id_fkey: { code: "not_found" },
  statuses_name_taken: { code: "name_taken", field: "name" },
  tasks_dates: { code: "invalid_dates", field: ["start_date", "due_date"] },
  task_relations_taken: { code: "relation_exists", field: "related_task_id" },
  task_relations_one_parent: { code: "parent_exists", field: "related_task_id" },
  task_relations_workspace_id_from_task_id_fkey: { code: "invalid_reference", field: "related_task_id" },
  task_relations_workspace_id_to_task_id_fkey: { code: "invalid_reference", field: "related_task_id" },
};
