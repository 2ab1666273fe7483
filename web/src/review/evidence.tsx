// Evidence of a proposal: the cited passages in their current version. They are untrusted content, so they render only
// as quotations.

import type { Operations, Problem } from "@svc/client";
import { useEffect, useState } from "react";
import { Alert, Loading } from "../account/page-elements.tsx";
import { svc } from "../account/svc.ts";
import { say } from "../messages/t.ts";

export interface Pin {
  id: string;
  version: number;
  available: boolean;
}
type Hydrated = Awaited<ReturnType<Operations["hydrateEvidence"]>>;
const states = {
  current: "",
  changed: "It says something else by now.",
  unavailable: "It is gone, or you cannot read it any more.",
  excluded: "It was left out.",
};

function Collection({ workspaceId, pin: { id, version } }: { workspaceId: string; pin: Pin }) {
  const [found, setFound] = useState<Hydrated | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    svc.hydrateEvidence({ workspace_id: workspaceId, id, version }).then(setFound, setProblem);
  }, [workspaceId, id, version]);
  if (problem) return <Alert problem={problem} />;
  if (!found) return <Loading lines={2} />;
  return (
    <ul className="space-y-2">
      {found.items.map(({ id: source, state, text }) => (
        <li key={source}>
          {text === null ? (
            <p className="text-soft">{say(states[state])}</p>
          ) : (
            <blockquote className="border-l-4 border-line pl-3 whitespace-pre-wrap break-words">{text}</blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}

export const Evidence = ({ workspaceId, pins }: { workspaceId: string; pins: readonly Pin[] }) =>
  pins.map((pin) => <Collection key={`${pin.id}/${pin.version}`} workspaceId={workspaceId} pin={pin} />);
