// Notification settings by category and channel: inbox, browser push, mail.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { Button } from "../../ui/controls.tsx";
import { Unread } from "../../ui/page.tsx";
import { Block, useAct } from "../elements/form-elements.tsx";
import { isPushed, pushHere, stopPush } from "./push.ts";

type Preference = Awaited<ReturnType<Operations["listNotificationPreferences"]>>["items"][number];
const ways = ["in_app", "push", "email"] as const;

export function NotificationSettings() {
  const { member } = useReplica();
  const { value, failed, again } = useReading("notification-preferences", async (api) => {
    const { items } = await api.listNotificationPreferences({ workspace_id: member.workspaceId });
    return items;
  });
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  return (
    <>
      <Block title={t("notify.what")} lead={t("notify.lead")}>
        <table className="w-full">
          <caption className="sr-only">{t("notify.what")}</caption>
          <thead>
            <tr className="text-12 text-soft">
              <td />
              {ways.map((way) => (
                <th key={way} scope="col" className="w-20 py-1 font-medium">
                  {t(`notify.${way}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {value.map((each) => (
              <Line key={each.category} preference={each} changed={again} />
            ))}
          </tbody>
        </table>
      </Block>
      <PushBlock />
    </>
  );
}

function Line({ preference, changed }: { preference: Preference; changed: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, said } = useAct();
  const name = t(`notify.${preference.category}`);
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2 text-left font-normal">
        {name} {said}
      </th>
      {ways.map((way) => (
        <td key={way} className="text-center">
          <input
            type="checkbox"
            aria-label={`${name}: ${t(`notify.${way}`)}`}
            checked={preference[way]}
            onChange={(event) =>
              void act(async () => {
                await api.updateNotificationPreference(
                  { workspace_id: member.workspaceId, category: preference.category, [way]: event.target.checked },
                  { at: preference.revision },
                );
                await changed();
              })
            }
            className="block size-4 cursor-pointer accent-accent mx-auto"
          />
        </td>
      ))}
    </tr>
  );
}

function PushBlock() {
  const { api } = useReplica();
  const { act, busy, said } = useAct();
  const [state, setState] = useState<boolean | null>(null);
  useEffect(() => void isPushed().then(setState), []);
  return (
    <Block title={t("notify.browser")} lead={state === null ? t("notify.noPush") : t("notify.browserLead")}>
      {state !== null && (
        <div className="flex items-center gap-3">
          <Button
            aria-disabled={busy || undefined}
            onClick={() =>
              void act(async () => {
                if (state) await stopPush(api);
                else await pushHere(api);
                setState(!state);
              })
            }
          >
            {state ? t("notify.stop") : t("notify.start")}
          </Button>
          {said}
        </div>
      )}
    </Block>
  );
}
