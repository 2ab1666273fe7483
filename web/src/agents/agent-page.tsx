// Page of one Agent: purpose and tools, pause and quarantine, usage, versions, runs and requests.
import "../messages/later/agents.ts";
import "../messages/later/settings.ts";
import "../messages/later/tools.ts";
import { useEffect } from "react";
import { t, tn } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import { Block, Row, Rows, Sure, useAct, useManages } from "../settings/elements/form-elements.tsx";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { PageHead, Unread } from "../ui/page.tsx";
import { State } from "./page.tsx";
import { Quarantine } from "./quarantine.tsx";
import { Requests } from "./requests.tsx";
import { Runs } from "./runs.tsx";
import { Usage } from "./usage.tsx";
import { type Agent, BUT_RUNS, type Definition, named, reasonText, toolText, triggerText } from "./words.ts";

export default function AgentPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { member } = useReplica();
  const mayWrite = useMayWrite();
  const id = params.id ?? "";
  const { value, failed, again } = useReading(
    `agent:${id}`,
    async (api) => {
      const of = { workspace_id: member.workspaceId };
      const [profile, options] = await Promise.all([
        api.getAgentProfile({ ...of, definition_id: id }),
        api.listAgentDefinitions({ ...of, limit: 100 }),
      ]);
      const option = options.items.find((each) => each.id === id);
      const [agent, definition] = await Promise.all([
        profile.agent_id ? api.getAgent({ ...of, agent_id: profile.agent_id }) : null,
        option?.curated ? api.getStudioDefinition({ ...of, definition_id: id }) : null,
      ]);
      return { profile, agent, option, definition };
    },
    { on: BUT_RUNS },
  );
  const called = value && (value.agent?.name ?? named({ ...value.profile, ...value.option }).name);
  useEffect(() => {
    if (called) document.title = `${called} · svc`;
  }, [called]);
  if (!value || !called) return <Unread failed={failed} again={() => void again()} />;
  const { profile, agent, option, definition } = value;
  const newest = option && definition && option.version > definition.version ? option.version : null;
  return (
    <>
      <PageHead title={called}>
        <State state={agent?.state ?? profile.state} />
        {mayWrite && <Button onClick={() => go(within(`agents/${id}/edit`))}>{t("agents.edit")}</Button>}
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl p-4 sm:p-6">
          <p className="mb-4 text-12">
            <Link to={within("agents")} className="link">
              {t("agents.back")}
            </Link>
          </p>
          {agent?.reason && (
            <p role="status" className="mb-4 rounded-lg bg-bad-wash px-3 py-2">
              {reasonText(agent.reason)}
            </p>
          )}
          {agent && newest !== null && <Newer of={definition as Definition} version={newest} done={again} />}
          <About profile={profile} description={named({ ...profile, ...option }).description} />
          {agent && mayWrite && <Control agent={agent} done={again} />}
          {agent && <Runs agent={agent} />}
          {agent && <Usage definitionId={id} />}
          {agent && profile.versions.length > 0 && <Versions agent={agent} versions={profile.versions} done={again} />}
          {!option?.curated && <Requests definitionId={id} />}
        </div>
      </div>
    </>
  );
}

/**
 * Notice that a built-in Agent has a newer version. A member who manages Agents can install it; the settings of the
 * Agent do not change.
 */
function Newer({ of, version, done }: { of: Definition; version: number; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const take = () =>
    api.updateStudioDefinition(
      { workspace_id: member.workspaceId, definition_id: of.id, state: "published" },
      { at: of.revision },
    );
  return (
    <div data-newer={version} className="mb-4 flex flex-wrap items-center gap-2 rounded-lg bg-sunken px-3 py-2">
      <p className="min-w-0 flex-1">{t("agents.newer", { version })}</p>
      {said}
      {of.capabilities.includes("agent_definition:publish") && (
        <Button aria-disabled={busy || undefined} onClick={() => void act(take).then(done)}>
          {t("agents.takeNewer")}
        </Button>
      )}
    </div>
  );
}

type Profile = Awaited<ReturnType<import("@svc/client").Operations["getAgentProfile"]>>;
function About({ profile, description }: { profile: Profile; description: string }) {
  const { store } = useReplica();
  const home = useHome();
  const number = new Intl.NumberFormat(home?.locale);
  const { budgets, project_ids, every_project, username } = profile;
  const projects = project_ids.map((id) => store.get("project", id)?.name ?? "").filter(Boolean);
  const lines = [
    [t("agents.startedBy"), profile.triggers.map(triggerText).join(", ")],
    [t("agents.uses"), profile.tools.map(toolText).join(", ")],
    [t("agents.where"), every_project ? t("agents.everywhere") : projects.join(", ")],
    [
      t("agents.limits"),
      t("agents.limitsText", {
        runs: number.format(budgets.runs_per_hour),
        tokens: number.format(budgets.tokens_per_day),
        steps: number.format(budgets.steps_per_run),
      }),
    ],
    [
      t("agents.budget.changes_at_once"),
      budgets.changes_at_once === 0
        ? t("agents.atOnce.none")
        : t("agents.atOnce.some", { count: number.format(budgets.changes_at_once) }),
    ],
  ] as const;
  return (
    <Block title={t("agents.about")}>
      {description && <p className="mb-3 break-words">{description}</p>}
      <dl className="divide-y divide-line rounded-lg border border-line">
        {lines.map(([name, text]) => (
          <div key={name} className="px-3 py-2 sm:grid sm:grid-cols-[8rem_1fr] sm:gap-3">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-12 text-soft">
        {profile.changes_work ? t("agents.changesWork") : t("agents.changesNothing")}
        {username && ` ${t("agents.mentioned", { name: username })}. `}
        {profile.open_task_count > 0 && `${tn("agents.openTasks", profile.open_task_count)}.`}
      </p>
    </Block>
  );
}

/** Buttons that pause, resume and quarantine an Agent. */
function Control({ agent, done }: { agent: Agent; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const manages = useManages();
  const { act, busy, said } = useAct();
  const of = { workspace_id: member.workspaceId, agent_id: agent.id };
  const put = (state: "active" | "paused") =>
    void act(() => api.updateAgent({ ...of, state }, { at: agent.revision })).then(done);
  return (
    <div className="mb-8 flex flex-wrap items-center gap-2">
      {manages && (
        <>
          {agent.state === "active" ? (
            <Button aria-disabled={busy || undefined} onClick={() => put("paused")}>
              {t("agents.pause")}
            </Button>
          ) : (
            <Button aria-disabled={busy || undefined} onClick={() => put("active")}>
              {agent.state === "paused" ? t("agents.resume") : t("agents.release")}
            </Button>
          )}
          <Sure
            label={t("agents.remove")}
            name={agent.name}
            run={async () => {
              await api.deleteAgent(of, { at: agent.revision });
              await done();
            }}
          />
          {said}
        </>
      )}
      {agent.state !== "quarantined" && <Quarantine agent={agent} done={done} />}
    </div>
  );
}

interface VersionsProps {
  agent: Agent;
  versions: Profile["versions"];
  done: () => Promise<void>;
}
function Versions({ agent, versions, done }: VersionsProps) {
  const { api, member, store } = useReplica();
  const home = useHome();
  const manages = useManages();
  const { act, busy, said } = useAct();
  return (
    <Block title={t("agents.versions")}>
      <Rows label={t("agents.versions")}>
        {versions.map(({ version, published_at, published_by_actor_id }) => (
          <Row
            key={version}
            tools={
              version === agent.version ? (
                <span className="text-12 text-soft">{t("agents.runsNow")}</span>
              ) : (
                manages && (
                  <Button
                    look="quiet"
                    aria-label={`${t("agents.rollback")}: ${t("agents.version", { version })}`}
                    aria-disabled={busy || undefined}
                    onClick={() =>
                      void act(() =>
                        api.rollBackAgent({ workspace_id: member.workspaceId, agent_id: agent.id, version }),
                      ).then(done)
                    }
                  >
                    {t("agents.rollback")}
                  </Button>
                )
              )
            }
          >
            {t("agents.version", { version })}
            <span className="block text-12 text-soft">
              {t("agents.publishedOn", { when: momentText(published_at, home?.locale, home?.timezone) })}
              {` · ${store.get("person", published_by_actor_id)?.display_name ?? ""}`}
            </span>
          </Row>
        ))}
      </Rows>
      <p className="mt-2">{said}</p>
    </Block>
  );
}
