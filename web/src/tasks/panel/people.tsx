// Participants of a Task, and the member's subscription: following notifies about all activity, muting only about what
// concerns the member.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { useReplica, useRow } from "../../store/react.ts";
import type { Subscription, Task } from "../../store/rows.ts";
import { Avatar } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Picker } from "../../ui/overlays/picker.tsx";
import { subscribe } from "./actions.ts";
import { useSubscriptionOf } from "./load.ts";
import { Section } from "./section.tsx";

type Participant = Awaited<ReturnType<Operations["listTaskParticipants"]>>["items"][number];
const states = ["following", "muted", "none"] as const;

export function People({ task }: { task: Task }) {
  const replica = useReplica();
  const [people, setPeople] = useState<readonly Participant[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when somebody may have joined.
  useEffect(() => {
    if (task.id.startsWith("new-")) return;
    let current = true;
    replica.api.listTaskParticipants({ task_id: task.id, limit: 50 }).then(
      ({ items }) => current && setPeople(items),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [replica, task.id, task.assignee_actor_id, task.counts?.comments]);
  return (
    <Section title={t("panel.people")} tools={<Following task={task} />}>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {people.map(({ actor_id, display_name, username, picture_url, roles }) => (
          <li key={actor_id} className="flex h-7 items-center gap-1.5">
            <Avatar person={{ id: actor_id, display_name, username, picture_url }} />
            <span>{display_name}</span>
            <span className="text-12 text-soft">{roles.map((role) => t(`panel.role.${role}`)).join(", ")}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Following({ task }: { task: Task }) {
  const replica = useReplica();
  useSubscriptionOf(task.id);
  const subscription = useRow("subscription", replica.store.real(task.id));
  if (!subscription) return null;
  return (
    <Picker
      label={t("panel.notifications")}
      value={t(`panel.follow.${subscription.state}`)}
      options={states.map((id) => ({ id, label: t(`panel.follow.${id}`) }))}
      chosen={[subscription.state]}
      pick={(id) => id !== subscription.state && subscribe(replica, subscription, id as Subscription["state"])}
    >
      <Icon name="bell" className="size-3.5 text-soft" />
      {t(`panel.follow.${subscription.state}`)}
    </Picker>
  );
}
