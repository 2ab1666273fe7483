// Discuss preferences of one member in a Workspace: their time zone, and whether the assistant may act without asking
// each time.
import Type from "typebox";
import { op } from "../../kit.ts";
import { Line, nullable, object, patch, Revision, Timestamp, TimeZone } from "../../types.ts";
import { reading, writing } from "./private.ts";

const fields = {
  timezone: {
    ...TimeZone,
    description: "IANA name, for example Europe/London. Applies to the schedule of this membership only.",
  },
  follow_account_timezone: {
    ...Type.Boolean(),
    description: "Whether the current time zone of the account is used instead.",
  },
  opt_in: {
    ...Type.Boolean(),
    description:
      "Whether small changes that can be undone may be made without asking, as long as no text of others " +
      "has reached the assistant through a tool that reads or writes, a file, or an earlier answer. " +
      "false until changed.",
  },
};
export const DiscussPreferences = object({
  ...fields,
  timezone: { ...Line(100), description: "Time zone of the preferences; that of the account until one is chosen." },
  effective_timezone: { ...Line(100), description: "Time zone in effect." },
  revision: Revision,
  updated_at: { ...nullable(Timestamp), description: "Time of the last change; null until the first one." },
});

export const getDiscussPreferences = op(
  "GET /workspaces/{workspace_id}/discuss/preferences",
  "Read your Discuss preferences",
  {
    ...reading,
    description: "Returns your preferences; the defaults have revision 0 until you change them.",
    returns: DiscussPreferences,
  },
);
export const updateDiscussPreferences = op(
  "PATCH /workspaces/{workspace_id}/discuss/preferences",
  "Change your Discuss preferences",
  {
    ...writing,
    description: "Needs exactly the revision that you have read. Omitted fields stay as they are.",
    ifMatch: "required",
    body: patch(fields),
    example: { timezone: "Europe/London", follow_account_timezone: false },
    returns: DiscussPreferences,
  },
);
