// Runs of an Agent: starts a run or a dry run and lists the progress of each; the initiator also sees its actions and
// outputs. Hints refresh the list; without a live connection it polls.
import { newKey } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { Markdown } from "../editor/markdown.tsx";
import { has, type Key, t, why } from "../messages/t.ts";
import { Block, useAct } from "../settings/elements/form-elements.tsx";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useConnection, useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { ActionCard } from "./action.tsx";
import { type Agent, RUNS, type Run } from "./words.ts";

const isOpen = ({ state }: Pick<Run, "state">) =>
  state === "queued" || state === "running" || state === "cancel_requested";
const AGAIN_MS = 3_000;
/** Polls while a run is in progress and no live connection delivers hints. */
function useAgain(isUnderWay: boolean, again: () => Promise<void>) {
  const isTold = useConnection() === "live";
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (!isUnderWay || isTold) return;
    const timer = setInterval(() => void latest.current(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, isTold]);
}

export function Runs({ agent }: { agent: Agent }) {
  const { member } = useReplica();
  const mayWrite = useMayWrite();
  const of = { workspace_id: member.workspaceId, agent_id: agent.id };
  const { value, again } = useReading(
    `agent-runs:${agent.id}`,
    async (api) => (await api.listAgentRuns({ ...of, limit: 20 })).items,
    { on: RUNS },
  );
  useAgain(value?.some(isOpen) ?? false, again);
  const [chosen, setOpen] = useState<string | null>();
  // Expands the first run that waits for this member's decision, unless the member has chosen a run.
  const waiting = value?.find((run) => run.state === "waiting" && run.initiator_actor_id === member.actorId);
  const first = waiting?.id;
  useEffect(() => {
    if (first) setOpen((known) => (known === undefined ? first : known));
  }, [first]);
  const canStart = mayWrite && agent.state === "active" && agent.trigger_kinds.includes("manual");
  return (
    <Block title={t("agents.runs")}>
      {canStart && (
        <Start
          agent={agent}
          done={async (id) => {
            setOpen(id);
            await again();
          }}
        />
      )}
      {value?.length === 0 && <p className="text-soft">{t("agents.noRuns")}</p>}
      {value && value.length > 0 && (
        <ul aria-label={t("agents.runs")} className="divide-y divide-line rounded-lg border border-line">
          {value.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              isShown={chosen === run.id}
              toggle={() => setOpen(chosen === run.id ? null : run.id)}
              again={again}
            />
          ))}
        </ul>
      )}
    </Block>
  );
}

function Start({ agent, done }: { agent: Agent; done: (id: string) => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct(t("agents.started"));
  const [input, setInput] = useState("");
  // Retries reuse the idempotency key until the service answers, so repeated presses start one run.
  const key = useRef(newKey());
  async function start(dry_run: boolean) {
    const run = await act(() =>
      api.startAgentRun(
        {
          workspace_id: member.workspaceId,
          agent_id: agent.id,
          dry_run,
          ...(input.trim() && { input: input.trim() }),
        },
        { key: `${key.current}${dry_run ? "-dry" : ""}` },
      ),
    );
    if (!run) return;
    key.current = newKey();
    setInput("");
    await done(run.id);
  }
  return (
    <div className="mb-4 space-y-2">
      <label className="block">
        <span className="mb-1 block font-medium">{t("agents.input")}</span>
        <textarea
          value={input}
          maxLength={20_000}
          rows={2}
          onChange={({ target }) => setInput(target.value)}
          className="field h-auto w-full py-1.5"
        />
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-disabled={busy || undefined} onClick={() => void start(true)}>
          {t("agents.tryIt")}
        </Button>
        <Button look="first" icon="play" aria-disabled={busy || undefined} onClick={() => void start(false)}>
          {t("agents.start")}
        </Button>
        {said}
      </div>
    </div>
  );
}

interface RowProps {
  run: Run;
  isShown: boolean;
  toggle: () => void;
  again: () => Promise<void>;
}
function RunRow({ run, isShown, toggle, again }: RowProps) {
  const { api, member, store } = useReplica();
  const home = useHome();
  const isMine = run.initiator_actor_id === member.actorId;
  const { act, busy, said } = useAct();
  const number = new Intl.NumberFormat(home?.locale, { maximumFractionDigits: 1 });
  const tokens = run.usage.input_tokens + run.usage.output_tokens;
  return (
    <li data-run={run.state}>
      <button
        type="button"
        aria-expanded={isShown}
        onClick={toggle}
        className="flex w-full cursor-pointer flex-wrap items-baseline gap-x-3 px-3 py-2 text-left hover:bg-hover"
      >
        <span className="font-medium">{t(`agents.run.${run.state}`)}</span>
        {run.dry_run && <span className="text-12 text-soft">{t("agents.dryRun")}</span>}
        <span className="order-last basis-full text-12 text-soft sm:order-none sm:min-w-0 sm:flex-1 sm:basis-0">
          {store.get("person", run.initiator_actor_id)?.display_name} · {t(`agents.trigger.${run.trigger}`)} ·{" "}
          {momentText(run.created_at, home?.locale, home?.timezone)}
        </span>
        <span className="ml-auto text-12 text-soft">
          {t("agents.runUsage", {
            steps: number.format(run.usage.steps),
            tokens: number.format(tokens),
            cost: number.format(run.usage.cost),
          })}
        </span>
      </button>
      {isShown && (
        <div className="space-y-3 border-t border-line bg-sunken px-3 py-3">
          {run.limited && <p className="text-12 text-soft">{t("agents.limited")}</p>}
          {run.error_code && (
            <p className="text-bad">
              {has(`agents.failed.${run.error_code}`)
                ? t(`agents.failed.${run.error_code}` as Key)
                : t("agents.failed.other", { code: run.error_code })}
            </p>
          )}
          {isMine ? <Inside run={run} again={again} /> : <p className="text-soft">{t("agents.notYours")}</p>}
          {(isOpen(run) || run.state === "waiting") && isMine && (
            <div className="flex items-center gap-2">
              <Button
                icon="stop"
                aria-disabled={busy || undefined}
                onClick={() =>
                  void act(() =>
                    api.cancelAgentRun({
                      workspace_id: member.workspaceId,
                      agent_id: run.agent_id,
                      run_id: run.id,
                    }),
                  ).then(again)
                }
              >
                {t("agents.cancelRun")}
              </Button>
              {said}
            </div>
          )}
        </div>
      )}
    </li>
  );
}

/** Steps of a run: its executed and proposed actions, and its outputs. */
function Inside({ run, again }: { run: Run; again: () => Promise<void> }) {
  const { member } = useReplica();
  const of = { workspace_id: member.workspaceId, agent_id: run.agent_id, run_id: run.id };
  const {
    value,
    failed,
    again: anew,
  } = useReading(`agent-run:${run.id}`, async (api) => {
    const [actions, outputs] = await Promise.all([
      api.listAgentRunActions({ ...of, limit: 100 }),
      api.listAgentRunOutputs({ ...of, limit: 100 }),
    ]);
    return { actions: actions.items, outputs: outputs.items };
  });
  // Any change of the actions or outputs increments the revision of the run. The first revision was read on mount.
  const seen = useRef(run.revision);
  useEffect(() => {
    if (seen.current === run.revision) return;
    seen.current = run.revision;
    void anew();
  }, [run.revision, anew]);
  if (!value) return failed ? <p className="text-soft">{why(failed)}</p> : null;
  const both = async () => {
    await Promise.all([anew(), again()]);
  };
  return (
    <>
      {value.outputs.map(({ id, text }) => (
        <div key={id} data-output>
          <Markdown text={text} />
        </div>
      ))}
      {value.actions.length > 0 && (
        <ol aria-label={t("agents.actions")} className="space-y-2">
          {value.actions.map((action) => (
            <ActionCard key={action.id} run={run} action={action} done={both} />
          ))}
        </ol>
      )}
    </>
  );
}
