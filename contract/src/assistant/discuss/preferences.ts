// Discuss preferences of one member in a Workspace: their time zone, and whether the assistant may act without asking
// each time.
import Type from "typebox";
import { op } from "../../kit.ts";
import { Line, nullable, object, patch, Revision, Timestamp, TimeZone } from "../../types.ts";
import { reading, writing } from "./private.ts";

const fields = {
  timezone: {
    ...TimeZone,
    description:
      "IANA name, for example Europe/London. Of this membership's schedule alone: nothing else is shown in it.",
  },
  follow_account_timezone: {
    ...Type.Boolean(),
    description: "The time zone of the account holds in place of this one, whatever that is at the time.",
  },
  opt_in: {
    ...Type.Boolean(),
    description:
      "Small changes that can be undone may be made without asking, as long as nothing that others wrote has " +
      "reached the assistant: through a tool that reads or writes, a file, or an earlier answer. " +
      "Until somebody decides: false.",
  },
};
export const DiscussPreferences = object({
  ...fields,
  timezone: { ...Line(100), description: "Their own; that of the account as long as none was chosen." },
  effective_timezone: { ...Line(100), description: "The one that holds now." },
  revision: Revision,
  updated_at: { ...nullable(Timestamp), description: "Null until something was decided." },
});

export const getDiscussPreferences = op(
  "GET /workspaces/{workspace_id}/discuss/preferences",
  "Read your preferences in Discuss",
  {
    ...reading,
    description: "The defaults, at revision 0, until you decide.",
    returns: DiscussPreferences,
  },
);
export const updateDiscussPreferences = op(
  "PATCH /workspaces/{workspace_id}/discuss/preferences",
  "Change your preferences in Discuss",
  {
    ...writing,
    description: "At exactly the revision that you have read. What is left out stays as it is.",
    ifMatch: "required",
    body: patch(fields),
    example: { timezone: "Europe/London", follow_account_timezone: false },
    returns: DiscussPreferences,
  },
);
