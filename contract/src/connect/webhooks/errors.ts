// Codes of webhooks: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const webhookErrors = {
  webhook_disabled: entry(409, "Endpoint is disabled", "Enable the endpoint first: nothing is sent to it."),
  webhook_creator_left: entry(
    409,
    "Creator has left",
    "The creator is no longer an active member. Take the endpoint over: send your own created_by_actor_id.",
  ),
  webhook_url_refused: entry(
    422,
    "Address refused",
    "Give an https address of the public internet, without a user name, a password and a fragment.",
  ),
} as const;
