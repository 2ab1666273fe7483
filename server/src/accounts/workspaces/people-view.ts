// Wire representation of people. The query must provide the membership as m and the account as u.
import { Person } from "@svc/contract/accounts/workspaces/people.ts";
import { view } from "../../platform/database/view.ts";
import { pictureUrl } from "../account/view.ts";

export const personView = view(Person, "m", {
  username: "u.username",
  display_name: "u.display_name",
  timezone: "case when m.state in ('active', 'suspended') then u.timezone end",
  has_picture: "u.picture_key is not null",
  picture_url: pictureUrl("m.workspace_id"),
  joined_at: "wire_time(m.created_at)",
});

/** Selects the display name of an Actor, human or not, and the person's username and picture. */
export const nameOfActor = (id: string) => `
select coalesce(u.display_name, a.name) as display_name, u.username, ${pictureUrl("a.workspace_id")} as picture_url
from actors a left join users u on u.id = a.user_id
where a.workspace_id = current_workspace() and a.id = ${id} limit 1`;
