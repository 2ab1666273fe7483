// Which code a constraint of the schema answers with: rules that only the database can hold under any interleaving.
import type { Constraints } from "./kernel/translate.ts";

export const constraints: Constraints = {
  users_email_taken: { code: "email_taken", field: "email" },
  users_username_taken: { code: "username_taken", field: "username" },
  workspaces_slug_taken: { code: "slug_taken", field: "slug" },
  workspaces_free_claimed: { code: "free_workspace_claimed" },
  projects_key_taken: { code: "project_key_taken", field: "key" },
  projects_dates: { code: "invalid_dates", field: ["start_date", "target_date"] },
  passkeys_credential: { code: "identity_taken", field: "response" },
  statuses_name_taken: { code: "name_taken", field: "name" },
  tasks_dates: { code: "invalid_dates", field: ["start_date", "due_date"] },
};
