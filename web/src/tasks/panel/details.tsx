// Lower part of the Task panel, loaded lazily: sub-tasks, relations, linked entities, attachments, participants, and
// tabs with comments, activity, description history and time.
import { lazy, Suspense, useId, useState } from "react";
import { t } from "../../messages/t.ts";
import type { Task } from "../../store/rows.ts";
import { Attachments } from "./attachments.tsx";
import { useParts } from "./load.ts";
import { People } from "./people.tsx";
import { Relations, Subtasks } from "./related-tasks.tsx";
import { Activity } from "./tabs/activity.tsx";
import { Comments } from "./tabs/comments.tsx";
import { History } from "./tabs/history.tsx";
import { Time } from "./tabs/time.tsx";

const Entities = lazy(() => import("./entities.tsx"));

const tabs = ["comments", "activity", "history", "time"] as const;

export default function Details({ task }: { task: Task }) {
  const loaded = useParts(task.id, ["comment", "relation", "attachment"]);
  const name = useId();
  const [tab, setTab] = useState<(typeof tabs)[number]>("comments");
  return (
    <>
      <Subtasks task={task} />
      <Relations task={task} />
      <Suspense>
        <Entities task={task} />
      </Suspense>
      <Attachments task={task} />
      <People task={task} />
      <div role="tablist" aria-label={t("panel.about")} className="mt-6 mb-3 flex gap-0.5 border-b border-line pb-1">
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${name}-${each}`}
            aria-selected={each === tab}
            aria-controls={name}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => setTab(each)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              event.stopPropagation();
              const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] as typeof tab;
              setTab(next);
              document.getElementById(`${name}-${next}`)?.focus();
            }}
            className="tab cursor-pointer"
          >
            {t(`panel.tab.${each}`)}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={name} aria-labelledby={`${name}-${tab}`}>
        {tab === "comments" && <Comments task={task} loaded={loaded} />}
        {tab === "activity" && <Activity task={task} />}
        {tab === "history" && <History task={task} />}
        {tab === "time" && <Time task={task} />}
      </div>
    </>
  );
}
