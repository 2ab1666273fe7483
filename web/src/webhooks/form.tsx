// Form of an endpoint: name, URL, event types and Projects.
import { webhookActions } from "@svc/contract/connect/webhooks/event-types.ts";
import { t } from "../messages/t.ts";
import { Field, SettingsForm, type SettingsValues, Tick } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Icon } from "../ui/icons.tsx";

export interface Wanted {
  name: string;
  url: string;
  actions: string[];
  project_ids: string[];
}
/** Event types grouped by the first part of their names. */
const groups = [...Map.groupBy(webhookActions, (action) => action.slice(0, action.indexOf(".")))];
const USUAL: readonly string[] = ["task.created", "task.status_changed", "task.comment.created"];

const EXAMPLE = "https://hooks.example.com/svc";

interface FormProps {
  label: string;
  action: string;
  send: (wanted: Wanted) => Promise<unknown>;
  before?: Wanted;
  once?: boolean;
}
export function EndpointForm({ label, action, send, before, once }: FormProps) {
  const { store } = useReplica();
  const projects = [...store.all("project")].filter(({ id, archived_at }) => !archived_at && !id.startsWith("new-"));
  const chosen = before?.actions ?? USUAL;
  const sent = ({ name, url, ...ticked }: SettingsValues) =>
    send({
      name: name as string,
      url: url as string,
      actions: webhookActions.filter((each) => ticked[each]),
      project_ids: projects.filter(({ id }) => ticked[id]).map(({ id }) => id),
    });
  return (
    <SettingsForm label={label} action={action} send={sent} {...(once && { once })}>
      <Field name="name" label={t("field.name")} required maxLength={100} defaultValue={before?.name} />
      <Field
        name="url"
        type="url"
        label={t("webhooks.url")}
        help={t("webhooks.urlHelp")}
        required
        maxLength={2000}
        placeholder={EXAMPLE}
        defaultValue={before?.url}
      />
      <fieldset>
        <legend className="mb-1 font-medium">{t("webhooks.actions")}</legend>
        <div className="divide-y divide-line rounded-lg border border-line">
          {groups.map(([name, actions]) => (
            <details key={name} open={actions.some((each) => chosen.includes(each))} className="group">
              <summary className="flex min-h-8 cursor-pointer list-none items-center gap-2 px-3 hover:bg-hover">
                <Icon name="right" className="size-3.5 text-soft group-open:rotate-90" />
                <code className="flex-1">{name}</code>
                <span className="text-12 text-soft tabular-nums">{actions.length}</span>
              </summary>
              <div className="grid gap-x-4 px-3 pb-2 pl-8 sm:grid-cols-2">
                {actions.map((each) => (
                  <Tick key={each} name={each} label={each} defaultChecked={chosen.includes(each)} />
                ))}
              </div>
            </details>
          ))}
        </div>
      </fieldset>
      {projects.length > 0 && (
        <fieldset>
          <legend className="mb-1 font-medium">{t("webhooks.projects")}</legend>
          <p className="text-12 text-soft">{t("webhooks.projectsHelp")}</p>
          <div className="grid gap-x-4 sm:grid-cols-2">
            {projects.map(({ id, name }) => (
              <Tick key={id} name={id} label={name} defaultChecked={before?.project_ids.includes(id) ?? false} />
            ))}
          </div>
        </fieldset>
      )}
    </SettingsForm>
  );
}
