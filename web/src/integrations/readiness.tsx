// Checklist of the steps left before a Project receives errors. Runs on request.
import type { Operations } from "@svc/client";
import { useState } from "react";
import { t } from "../messages/t.ts";
import { useAct } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";

type Found = Awaited<ReturnType<Operations["checkErrtrackReadiness"]>>;

export function Readiness({ bindingId, name }: { bindingId: string; name: string }) {
  const { api } = useReplica();
  const { act, busy, said } = useAct("");
  const [found, setFound] = useState<Found>();
  const look = () => void act(async () => setFound(await api.checkErrtrackReadiness({ binding_id: bindingId })));
  const left = (found?.checks ?? []).filter(({ state }) => state !== "ready");
  return (
    <div className="mt-3">
      <Button aria-label={`${t("integrations.readiness")}: ${name}`} aria-disabled={busy || undefined} onClick={look}>
        {t("integrations.readiness")}
      </Button>
      {found && (
        <p role="status" data-ready={found.is_ready} className="mt-2 text-soft">
          {t(found.is_ready ? "integrations.ready" : "integrations.notReady")}
        </p>
      )}
      {left.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {left.map(({ code, state }) => (
            <li key={code} data-check={code} className={state === "optional" ? "text-soft" : undefined}>
              {t(`integrations.check.${code}`)}
            </li>
          ))}
        </ul>
      )}
      {said}
    </div>
  );
}
