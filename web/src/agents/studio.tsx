// Agent studio: edits the instructions, tools, triggers, scope and limits of an Agent definition. Drafts never run
// until they are published.
import "../messages/later/agents.ts";
import "../messages/later/settings.ts";
import "../messages/later/tools.ts";
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import {
  Field,
  SettingsForm,
  type SettingsValues,
  Sure,
  Tick,
  useAct,
  useManages,
} from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Button } from "../ui/controls.tsx";
import { PageHead, Unread } from "../ui/page.tsx";
import { State } from "./page.tsx";
import { type Definition, events, eventText, type Trigger, toolNames, toolText } from "./words.ts";

export default function StudioPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { member } = useReplica();
  const id = params.id ?? null;
  const { value, failed, again } = useReading(id && `definition:${id}`, (api) =>
    api.getStudioDefinition({ workspace_id: member.workspaceId, definition_id: id ?? "" }),
  );
  const [copied, setCopied] = useState<Definition | null>(null);
  useEffect(() => {
    document.title = `${t("agents.studio")} · svc`;
  }, []);
  if (id && !value) return <Unread failed={failed} again={() => void again()} />;
  const isCurated = value?.curated && !copied;
  return (
    <>
      <PageHead title={copied || !value ? t("agents.new") : value.name}>
        {value && !copied && <State state={value.state} />}
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl p-4 sm:p-6">
          <p className="mb-4 text-12">
            <Link to={within(id ? `agents/${id}` : "agents")} className="link">
              {t("agents.back")}
            </Link>
          </p>
          {isCurated ? (
            <div className="space-y-3">
              <p>{t("agents.curatedHelp")}</p>
              <pre className="rounded-lg bg-sunken p-3 font-sans whitespace-pre-wrap">{value.instructions}</pre>
              <Button look="first" onClick={() => setCopied(value)}>
                {t("agents.copy")}
              </Button>
            </div>
          ) : (
            <Form
              key={copied ? "copy" : (value?.revision ?? "new")}
              of={copied ?? value ?? null}
              isNew={!value || !!copied}
              done={again}
            />
          )}
        </div>
      </div>
    </>
  );
}

const kinds = ["manual", "mention", "assignment"] as const;
const limits = ["runs_per_hour", "steps_per_run", "tokens_per_day", "changes_at_once"] as const;
const lowest = { runs_per_hour: 1, steps_per_run: 1, tokens_per_day: 1000, changes_at_once: 0 };

/** Converts the form values to the input of the API. */
function fieldsIn(values: SettingsValues, timezone: string) {
  const on = (prefix: string) =>
    Object.keys(values).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const triggers: Trigger[] = [
    ...kinds.filter((kind) => values[`trigger:${kind}`]).map((kind) => ({ kind })),
    ...(values["trigger:schedule"] ? [{ kind: "schedule" as const, at: values.at, timezone }] : []),
    ...on("event:").map((action) => ({ kind: "event" as const, action: action as Trigger["action"] })),
  ];
  return {
    name: (values.name ?? "").trim(),
    description: (values.description ?? "").trim(),
    instructions: (values.instructions ?? "").trim(),
    tools: on("tool:"),
    triggers,
    project_ids: on("project:"),
    budgets: Object.fromEntries(limits.map((limit) => [limit, Number(values[limit])])),
  };
}

interface FormProps {
  of: Definition | null;
  isNew: boolean;
  done: () => Promise<void>;
}
function Form({ of, isNew, done }: FormProps) {
  const { api, member, store } = useReplica();
  const home = useHome();
  const manages = useManages();
  const { act, said } = useAct();
  const workspace = { workspace_id: member.workspaceId };
  const projects = [...store.all("project")].filter(({ archived_at }) => !archived_at);
  const has = (kind: string, action?: string) =>
    of ? of.triggers.some((each) => each.kind === kind && each.action === action) : kind === "manual";
  const clock = of?.triggers.find(({ kind }) => kind === "schedule");
  async function save(values: SettingsValues) {
    const fields = fieldsIn(values, clock?.timezone ?? home?.timezone ?? "UTC");
    if (isNew || !of) {
      const made = await api.createStudioDefinition({ ...workspace, ...fields });
      return go(within(`agents/${made.id}/edit`));
    }
    await api.updateStudioDefinition({ ...workspace, definition_id: of.id, ...fields }, { at: of.revision });
    await done();
  }
  const put = (state: "published" | "retired") => async () => {
    if (!of) return;
    await api.updateStudioDefinition({ ...workspace, definition_id: of.id, state }, { at: of.revision });
    await done();
  };
  const defaults: Record<(typeof limits)[number], number> = {
    runs_per_hour: 20,
    steps_per_run: 36,
    tokens_per_day: 1_000_000,
    changes_at_once: 0,
    ...of?.budgets,
  };
  return (
    <>
      <SettingsForm label={t("agents.studio")} action={t("agents.saveDraft")} send={save}>
        <Field
          label={t("agents.name")}
          name="name"
          required
          maxLength={80}
          defaultValue={of ? (isNew ? t("agents.copyName", { name: of.name }) : of.name) : ""}
        />
        <Field
          label={t("agents.description")}
          name="description"
          required
          maxLength={500}
          defaultValue={of?.description ?? ""}
        />
        <label className="block">
          <span className="mb-1 block font-medium">{t("agents.instructions")}</span>
          <textarea
            name="instructions"
            required
            maxLength={20_000}
            rows={8}
            defaultValue={of?.instructions ?? ""}
            className="field h-auto w-full py-1.5"
          />
          <span className="mt-1 block text-12 text-soft">{t("agents.instructionsHelp")}</span>
        </label>
        <Group title={t("agents.tools")}>
          {toolNames.map((tool) => (
            <Tick
              key={tool}
              label={toolText(tool)}
              name={`tool:${tool}`}
              defaultChecked={of ? of.tools.includes(tool) : tool === "find" || tool === "get_task"}
            />
          ))}
        </Group>
        <Group title={t("agents.triggers")}>
          {kinds.map((kind) => (
            <Tick key={kind} label={t(`agents.trigger.${kind}`)} name={`trigger:${kind}`} defaultChecked={has(kind)} />
          ))}
          <div className="flex items-center gap-3">
            <Tick label={t("agents.trigger.schedule")} name="trigger:schedule" defaultChecked={clock !== undefined} />
            <input
              type="time"
              name="at"
              aria-label={t("agents.time")}
              defaultValue={clock?.at ?? "07:30"}
              className="field"
            />
          </div>
          {events.map((action) => (
            <Tick
              key={action}
              label={eventText(action)}
              name={`event:${action}`}
              defaultChecked={has("event", action)}
            />
          ))}
        </Group>
        <Group title={t("agents.projects")} help={t("agents.projectsHelp")}>
          {projects.map((project) => (
            <Tick
              key={project.id}
              label={project.name}
              name={`project:${project.id}`}
              defaultChecked={of?.project_ids.includes(project.id) ?? false}
            />
          ))}
        </Group>
        <div className="grid gap-3 sm:grid-cols-2">
          {limits.map((limit) => (
            <Field
              key={limit}
              label={t(`agents.budget.${limit}`)}
              name={limit}
              type="number"
              required
              min={lowest[limit]}
              max={limit === "changes_at_once" ? 20 : undefined}
              help={limit === "changes_at_once" ? t("agents.budget.changes_at_once.help") : undefined}
              defaultValue={defaults[limit]}
            />
          ))}
        </div>
      </SettingsForm>
      {of && !isNew && manages && (
        <div className="mt-4 flex flex-wrap items-center gap-2 border-t border-line pt-4">
          {of.state === "draft" && (
            <Button look="first" onClick={() => void act(put("published"))}>
              {t("agents.publish")}
            </Button>
          )}
          {of.state === "published" && <Sure label={t("agents.retire")} name={of.name} run={put("retired")} />}
          {said}
        </div>
      )}
    </>
  );
}

function Group({ title, help, children }: { title: string; help?: string; children: React.ReactNode }) {
  return (
    <fieldset className="rounded-lg border border-line px-3 pt-1 pb-2">
      <legend className="px-1 font-medium">{title}</legend>
      {help && <p className="text-12 text-soft">{help}</p>}
      <div className="sm:columns-2">{children}</div>
    </fieldset>
  );
}
