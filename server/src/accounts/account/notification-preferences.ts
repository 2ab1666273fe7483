// Notification preferences of an Actor per category and channel. Only categories that the Actor has changed are stored;
// the others use the defaults. This module sends no notifications.
import * as contract from "@svc/contract/accounts/account/notification-preferences.ts";
import { type NotificationCategory, notificationCategories } from "@svc/contract/types.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { ownPreference } from "./access.ts";
import { notificationPreferenceChanged } from "./events.ts";
import { notificationDefaults, type Ways } from "./rules.ts";

type Stored = { [way in keyof Ways]: boolean | null };
interface Decided extends Ways {
  category: NotificationCategory;
  revision: string;
  updated_at: string;
}

const LIST = `
select r.category, r.in_app, r.push, r.email, r.revision::text, wire_time(r.updated_at) as updated_at
from notification_preferences r where r.workspace_id = current_workspace() and r.actor_id = current_actor()`;
const all: Access<Decided[]> = { reach: "membership", load: (tx) => tx.rows<Decided>(LIST), permits: () => true };

export const listNotificationPreferences = implement(
  contract.listNotificationPreferences,
  all,
  async (_context, { target }) => {
    const decided = new Map(target.map((row) => [row.category, row]));
    const item = (category: NotificationCategory) =>
      decided.get(category) ?? { category, ...notificationDefaults[category], revision: "0", updated_at: null };
    return { items: notificationCategories.map(item) };
  },
);

const one = ownPreference<Stored>("notification_preferences", "r.in_app, r.push, r.email", "category");
const REPLACE = `
insert into notification_preferences as old (workspace_id, actor_id, category, in_app, push, email)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, actor_id, category) do update
set in_app = excluded.in_app, push = excluded.push, email = excluded.email, revision = old.revision + 1,
  updated_at = now()`;

const isCategory = (name: string): name is NotificationCategory =>
  (notificationCategories as readonly string[]).includes(name);

export const updateNotificationPreference = implement(
  contract.updateNotificationPreference,
  // An unknown category is not found.
  {
    ...one,
    load: async (tx, params, change) =>
      isCategory(params.category as string) ? one.load(tx, params, change) : undefined,
  },
  async ({ tx, member, principal, record, defer }, { params, target, body }) => {
    const category = params.category as NotificationCategory;
    const defaults = notificationDefaults[category];
    const before = {
      in_app: target.in_app ?? defaults.in_app,
      push: target.push ?? defaults.push,
      email: target.email ?? defaults.email,
    };
    const { in_app, push, email } = { ...before, ...body };
    const answer = (revision: string, updated_at: string | null) => ({
      json: JSON.stringify({ category, in_app, push, email, revision, updated_at }),
      revision,
    });
    if (!differing(body, before)) return answer(target.revision, target.updated_at);
    defer(tx.rows(REPLACE, [member.workspaceId, member.actorId, category, in_app, push, email]));
    record(notificationPreferenceChanged({ kind: "actor", id: member.actorId }, { category }));
    return answer(String(BigInt(target.revision) + 1n), principal.now);
  },
);
