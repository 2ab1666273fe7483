// Reminders: created, listed, completed, cancelled and snoozed by their member. A background job delivers due ones.
import * as contract from "@svc/contract/assistant/discuss/reminders.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { readReminder } from "../../history/inbox/change.ts";
import { type Access, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { requireTime, setReminder } from "./reminder/reminder-change.ts";
import * as store from "./reminder/reminder-store.ts";

const OPEN = ["scheduled", "delivered"] as const;
const CLOSED = ["completed", "cancelled"] as const;
const isClosed = ({ state }: store.ReminderTarget) => (CLOSED as readonly string[]).includes(state);
const shown = (row: store.ReminderTarget) => {
  const capabilities: Capability[] = isClosed(row) ? [] : ["reminder:update"];
  return render(row, capabilities);
};

export const listReminders = implementList(
  contract.listReminders,
  workspace("workspace:read"),
  (tx, { query: { state = "open" }, page }) => {
    const states = state === "open" ? OPEN : state === "all" ? [...OPEN, ...CLOSED] : [state];
    return store.listReminders(tx, states, (page.after ?? ["-infinity", NIL]) as [string, string], page.limit + 1);
  },
);

export const createReminder = implement(
  contract.createReminder,
  workspace("workspace:read"),
  async ({ tx, principal: { now } }, { body: { confirmed, ...reminding } }) =>
    shown(await setReminder({ tx, now }, reminding)),
);

const own: Access<store.ReminderTarget> = {
  reach: "membership",
  load: (tx, { reminder_id }, change) => store.findReminder(tx, reminder_id as string, change),
  permits: () => true,
};
const becomes = { complete: "completed", cancel: "cancelled", snooze: "scheduled" } as const;

export const updateReminder = implement(
  contract.updateReminder,
  own,
  async ({ tx, principal, defer }, { target, body: { action, snooze_until } }) => {
    if ((action === "snooze") !== (snooze_until !== undefined)) {
      const [detail, reason] =
        action === "snooze" ? ["must be sent with snooze", "required"] : ["goes with snooze only", "not_allowed"];
      refuseAt("/body/snooze_until", "invalid_request", detail, reason);
    }
    const isSame = snooze_until === undefined || Date.parse(snooze_until) === Date.parse(target.due_at);
    if (target.state === becomes[action] && isSame) return shown(target);
    if (isClosed(target)) refuse("reminder_closed");
    if (snooze_until !== undefined) requireTime(snooze_until, principal.now, "/body/snooze_until");
    defer(readReminder(tx, target.id));
    return shown(await store.changeReminder(tx, target.id, becomes[action], snooze_until ?? null));
  },
);
