// Agents page of a Workspace: enabled Agents, Agents that can be enabled, and the reader's own drafts.
import "../messages/later/agents.ts";
import "../messages/later/settings.ts";
import "../messages/later/tools.ts";
import { type ReactNode, useEffect } from "react";
import { t } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import { Block, Row, Rows, useAct, useManages } from "../settings/elements/form-elements.tsx";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { PageHead, Unread } from "../ui/page.tsx";
import { type AgentOption, BUT_RUNS, named, RUNS, reasonText, triggerText } from "./words.ts";

/** Most pending requests that the page reads. */
const MOST_ASKED = 20;

export default function AgentsPage() {
  const { member } = useReplica();
  const mayWrite = useMayWrite();
  const home = useHome();
  const manages = useManages();
  const of = { workspace_id: member.workspaceId, limit: 100 };
  const { value, failed, again } = useReading(
    "agents",
    async (api) => {
      const [agents, options, drafts] = await Promise.all([
        api.listAgents(of),
        api.listAgentDefinitions(of),
        api.listStudioDefinitions({ ...of, state: "draft" }),
      ]);
      return { agents: agents.items, options: options.items, drafts: drafts.items };
    },
    { on: BUT_RUNS },
  );
  const asked = value?.agents.slice(0, MOST_ASKED).map(({ id }) => id);
  const { value: waiting = [] } = useReading(
    asked ? `agents-waiting:${asked.join()}` : null,
    async (api) => {
      const found = await Promise.all(
        (asked ?? []).map((id) => api.listAgentRuns({ ...of, agent_id: id, state: "waiting" })),
      );
      return found.flatMap(({ items }) => items.filter((run) => run.initiator_actor_id === member.actorId));
    },
    { on: RUNS },
  );
  useEffect(() => {
    document.title = `${t("agents.title")} · svc`;
  }, []);
  const optionOf = (id: string) => value?.options.find((option) => option.id === id);
  return (
    <>
      <PageHead title={t("agents.title")}>
        {mayWrite && (
          <Button look="first" icon="plus" onClick={() => go(within("agents/new"))}>
            {t("agents.new")}
          </Button>
        )}
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {!value ? (
          <Unread failed={failed} again={() => void again()} />
        ) : (
          <div className="mx-auto max-w-3xl p-4 sm:p-6">
            <p className="mb-6 text-soft">{t("agents.lead")}</p>
            {waiting.length > 0 && (
              <Block title={t("agents.waiting")}>
                <Rows label={t("agents.waiting")}>
                  {waiting.map((run) => (
                    <Line
                      key={run.id}
                      id={run.definition_id}
                      name={value.agents.find(({ id }) => id === run.agent_id)?.name ?? ""}
                    >
                      {momentText(run.created_at, home?.locale, home?.timezone)}
                    </Line>
                  ))}
                </Rows>
              </Block>
            )}
            <Block title={t("agents.enabled")}>
              {value.agents.length === 0 ? (
                <p className="text-soft">{t("agents.noneEnabled")}</p>
              ) : (
                <Rows label={t("agents.enabled")}>
                  {value.agents.map((agent) => {
                    const option = optionOf(agent.definition_id);
                    return (
                      <Line
                        key={agent.id}
                        id={agent.definition_id}
                        name={agent.name}
                        description={agent.reason ? reasonText(agent.reason) : option && named(option).description}
                        state={agent.state}
                      >
                        {agent.trigger_kinds.map((kind) => t(`agents.trigger.${kind}`)).join(", ")}
                      </Line>
                    );
                  })}
                </Rows>
              )}
            </Block>
            <Block title={t("agents.ready")}>
              <Rows label={t("agents.ready")}>
                {value.options
                  .filter(({ agent_id }) => agent_id === null)
                  .map((option) => (
                    <Line
                      key={option.id}
                      id={option.id}
                      {...named(option)}
                      tools={manages && <Enable option={option} done={again} />}
                    >
                      {option.triggers.map(triggerText).join(", ")}
                      {option.curated && ` · ${t("agents.curated")}`}
                    </Line>
                  ))}
              </Rows>
            </Block>
            {value.drafts.length > 0 && (
              <Block title={t("agents.drafts")}>
                <Rows label={t("agents.drafts")}>
                  {value.drafts.map((draft) => (
                    <Line
                      key={draft.id}
                      id={draft.id}
                      name={draft.name}
                      description={draft.description}
                      state={draft.state}
                    >
                      {t("agents.version", { version: draft.version })}
                    </Line>
                  ))}
                </Rows>
              </Block>
            )}
          </div>
        )}
      </div>
    </>
  );
}

interface LineProps {
  id: string;
  name: string;
  description?: string;
  state?: string;
  tools?: ReactNode;
  children: ReactNode;
}
function Line({ id, name, description, state, tools, children }: LineProps) {
  return (
    <Row
      tools={
        <>
          {state && <State state={state} />}
          {tools}
        </>
      }
    >
      <div className="flex items-start gap-2.5">
        <Icon name="agent" className="mt-0.5 size-4 text-soft" />
        <div className="min-w-0">
          <Link to={within(`agents/${id}`)} className="font-medium text-ink no-underline hover:underline">
            {name}
          </Link>
          {description && <p className="break-words">{description}</p>}
          <p className="text-12 text-soft">{children}</p>
        </div>
      </div>
    </Row>
  );
}
/** Badge with the state of an Agent. */
export function State({ state }: { state: string }) {
  const look =
    state === "active" || state === "published"
      ? "bg-good-wash text-good"
      : state === "quarantined"
        ? "bg-bad-wash text-bad"
        : "bg-sunken text-soft";
  return (
    <span data-state={state} className={`rounded-full px-2 py-0.5 text-12 font-medium ${look}`}>
      {t(`agents.state.${state as "active"}`)}
    </span>
  );
}

function Enable({ option, done }: { option: AgentOption; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const { name } = named(option);
  return (
    <>
      {said}
      <Button
        aria-label={t("agents.enableNamed", { name })}
        aria-disabled={busy || undefined}
        onClick={() =>
          void act(() => api.createAgent({ workspace_id: member.workspaceId, definition_id: option.id, name })).then(
            done,
          )
        }
      >
        {t("agents.enable")}
      </Button>
    </>
  );
}
