// The member's own reminders: upcoming ones, and a form that creates one after a preview.
import { type FormEvent, useEffect, useId, useState } from "react";
import { t, why } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useConnection, useGroup, useReplica, useStore } from "../store/react.ts";
import type { Reminder } from "../store/rows.ts";
import { Button, Empty, IconButton, Skeleton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { seenAt } from "./context.ts";
import { loadReminders } from "./load.ts";
import { localText, momentOf, nine } from "./local-times.ts";
import { byTime } from "./operations.ts";

export function Reminders() {
  const replica = useReplica();
  const connection = useConnection();
  const { ids } = useGroup("reminder", byTime, "open");
  const [state, setState] = useState<{ isRead: boolean; failed: string | null }>({ isRead: false, failed: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    const read = () =>
      loadReminders(replica).then(
        () => setState({ isRead: true, failed: null }),
        ({ code, status }) => setState({ isRead: false, failed: status === 0 ? "unreachable" : code }),
      );
    void read();
    // A delivered reminder also creates an inbox item.
    const stop = replica.onHints((hints) => hints.some(({ kind }) => /^(?:inbox|reminder)/.test(kind)) && void read());
    return () => void stop();
  }, [replica, connection]);
  const reminders = ids.flatMap((id) => replica.store.get("reminder", id) ?? []);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <NewReminder />
      {reminders.length === 0 && !state.isRead && !state.failed && <Skeleton rows={3} />}
      {reminders.length === 0 && (state.isRead || state.failed) && (
        <Empty title={state.failed ? why(state.failed) : t("remind.none")}>{t("remind.noneHelp")}</Empty>
      )}
      <ul aria-label={t("talk.reminders")}>
        {reminders.map((reminder) => (
          <Line key={replica.store.first(reminder.id)} reminder={reminder} />
        ))}
      </ul>
    </div>
  );
}

const HOUR = 3_600_000;
function Line({ reminder }: { reminder: Reminder }) {
  const replica = useReplica();
  const home = useHome();
  const { workspaceId: workspace_id } = replica.member;
  const { id, text, due_at, target, state } = reminder;
  const update = (input: { action: "complete" | "cancel" | "snooze"; snooze_until?: string }) =>
    replica.make("updateReminder", {
      ids: [id],
      input: { workspace_id, reminder_id: replica.store.real(id), ...input },
    });
  const snooze = (until: Date) => update({ action: "snooze", snooze_until: until.toISOString() });
  const isDue = state === "delivered" || new Date(due_at) < new Date();
  return (
    <li data-reminder={state} className="flex items-start gap-2 border-b border-line px-3 py-2">
      <IconButton icon="check" label={t("remind.complete", { text })} onClick={() => update({ action: "complete" })} />
      <div className="min-w-0 flex-1">
        <p className="break-words">{text}</p>
        <p className={`text-12 ${isDue ? "font-medium text-accent" : "text-soft"}`}>
          <time dateTime={due_at}>{momentText(due_at, home?.locale, home?.timezone)}</time>
          {isDue && ` · ${t("remind.due")}`}
        </p>
        {target?.state === "available" && target.url && (
          <Link to={target.url} className="link text-12">
            {target.title}
          </Link>
        )}
      </div>
      <Menu
        label={t("remind.more", { text })}
        className="icon-btn"
        isPicture
        groups={[
          {
            title: t("remind.snooze"),
            items: [
              { label: t("remind.inAnHour"), run: () => snooze(new Date(Date.now() + HOUR)) },
              { label: t("remind.tomorrow"), run: () => snooze(nine(1, home?.timezone)) },
              { label: t("remind.nextWeek"), run: () => snooze(nine(7, home?.timezone)) },
            ],
          },
          { items: [{ label: t("remind.cancel"), icon: "trash", run: () => update({ action: "cancel" }) }] },
        ]}
      >
        <Icon name="clock" />
      </Menu>
    </li>
  );
}

function NewReminder() {
  const replica = useReplica();
  const home = useHome();
  const address = useAddress();
  const id = useId();
  const [text, setText] = useState("");
  const [when, setWhen] = useState(() => localText(nine(1, home?.timezone), home?.timezone));
  const [about, setAbout] = useState(false);
  const [isShown, setShown] = useState(false);
  const code = useStore((held) => {
    const seen = seenAt(held, address);
    return seen?.kind === "task" ? seen.task.code : null;
  });
  const at = momentOf(when, home?.timezone);
  const isGood = text.trim() !== "" && at.getTime() > Date.now();
  function look(event: FormEvent) {
    event.preventDefault();
    if (isGood) setShown(true);
  }
  function set() {
    const seen = seenAt(replica, address);
    const { workspaceId: workspace_id } = replica.member;
    replica.make("createReminder", {
      input: {
        workspace_id,
        text: text.trim(),
        due_at: at.toISOString(),
        confirmed: true,
        ...(about && seen?.kind === "task" && { target: { kind: "task", id: seen.task.id } }),
      },
      creates: true,
    });
    setText("");
    setAbout(false);
    setShown(false);
  }
  if (isShown)
    return (
      <section aria-label={t("remind.sure")} className="space-y-2 border-b border-line bg-note-wash p-3">
        <p className="font-medium">{t("remind.sure")}</p>
        <p className="break-words">{text.trim()}</p>
        <p className="text-12 text-soft">
          {momentText(at.toISOString(), home?.locale, home?.timezone)}
          {about && code && ` · ${code}`}
        </p>
        <div className="grid grid-cols-2 gap-2">
          <Button onClick={() => setShown(false)}>{t("remind.change")}</Button>
          <Button look="first" onClick={set}>
            {t("remind.set")}
          </Button>
        </div>
      </section>
    );
  return (
    <form onSubmit={look} aria-label={t("remind.new")} className="space-y-2 border-b border-line p-3">
      <label className="block">
        <span className="text-12 text-soft">{t("remind.text")}</span>
        <input
          value={text}
          maxLength={500}
          onChange={({ target }) => setText(target.value)}
          className="field mt-0.5 w-full"
        />
      </label>
      <div className="flex items-end gap-2">
        <label htmlFor={`${id}when`} className="min-w-0 flex-1">
          <span className="text-12 text-soft">{t("remind.when")}</span>
          <input
            id={`${id}when`}
            type="datetime-local"
            value={when}
            onChange={({ target }) => setWhen(target.value)}
            className="field mt-0.5 w-full"
          />
        </label>
        <Button type="submit" look="first" disabled={!isGood}>
          {t("remind.next")}
        </Button>
      </div>
      {code && (
        <label className="flex items-center gap-2 text-12">
          <input type="checkbox" checked={about} onChange={({ target }) => setAbout(target.checked)} />
          {t("remind.about", { code })}
        </label>
      )}
    </form>
  );
}
