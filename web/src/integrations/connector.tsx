// Form of a private connector: its base URL and its actions, each with input fields. The same form creates and edits
// it.
import { type ReactNode, useState } from "react";
import { t } from "../messages/t.ts";
import {
  Field,
  Secret,
  Select,
  SettingsForm,
  type SettingsValues,
  Tick,
  useAct,
} from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { Unread } from "../ui/page.tsx";
import {
  type ActionDraft,
  draftOf,
  type FieldDraft,
  fieldTypes,
  isTaken,
  MOST_ACTIONS,
  MOST_FIELDS,
  newAction,
  newField,
  sentOf,
} from "./declared-actions.ts";
import { type Installation, testErrorText } from "./words.tsx";

interface FormProps {
  label: string;
  action: string;
  before?: { name: string; base_url: string; actions: ActionDraft[] };
  send: (wanted: { name: string; base_url: string; actions: ReturnType<typeof sentOf>[] }) => Promise<unknown>;
}
function ConnectorForm({ label, action, before, send }: FormProps) {
  const [actions, setActions] = useState(() => before?.actions ?? [newAction()]);
  const put = (changed: ActionDraft) => setActions(actions.map((each) => (each.id === changed.id ? changed : each)));
  return (
    <SettingsForm
      label={label}
      action={action}
      send={({ name = "", base_url = "" }: SettingsValues) => send({ name, base_url, actions: actions.map(sentOf) })}
    >
      <Field name="name" label={t("field.name")} defaultValue={before?.name} required maxLength={100} autoFocus />
      <Field
        name="base_url"
        type="url"
        label={t("connector.address")}
        help={t("connector.addressHelp")}
        defaultValue={before?.base_url}
        required
        maxLength={500}
      />
      {actions.map((each, at) => (
        <ActionFields
          key={each.id}
          action={each}
          number={at + 1}
          taken={isTaken(
            actions.map(({ key }) => key),
            at,
          )}
          put={put}
          remove={actions.length > 1 ? () => setActions(actions.filter((other) => other.id !== each.id)) : undefined}
        />
      ))}
      {actions.length < MOST_ACTIONS && (
        <Button onClick={() => setActions([...actions, newAction()])}>{t("connector.addAction")}</Button>
      )}
    </SettingsForm>
  );
}

interface ActionProps {
  action: ActionDraft;
  number: number;
  /** True if an earlier action has the same key. */
  taken: boolean;
  put: (action: ActionDraft) => void;
  remove: (() => void) | undefined;
}
function ActionFields({ action, number, taken, put, remove }: ActionProps) {
  const { fields, kept } = action;
  const change = (changed: FieldDraft) =>
    put({ ...action, fields: fields.map((each) => (each.id === changed.id ? changed : each)) });
  const title = t("connector.action", { number });
  return (
    <fieldset className="rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">{title}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={t("connector.key")}
          help={t("connector.keyHelp")}
          wrong={taken ? t("connector.keyTaken") : undefined}
          value={action.key}
          onChange={(event) => put({ ...action, key: event.target.value })}
          pattern="[a-z][a-z0-9_]*"
          autoCapitalize="none"
          required
          maxLength={40}
        />
        <Field
          label={t("connector.shown")}
          value={action.name}
          onChange={(event) => put({ ...action, name: event.target.value })}
          maxLength={100}
        />
      </div>
      {kept ? (
        <p className="mt-3 text-soft">{t("connector.kept")}</p>
      ) : (
        <ul aria-label={`${t("connector.fields")}: ${title}`} className="mt-3 space-y-2">
          {fields.map((field, at) => (
            <InputField
              key={field.id}
              field={field}
              name={`${title}, ${t("connector.field", { number: at + 1 })}`}
              taken={isTaken(
                fields.map((each) => each.name),
                at,
              )}
              put={change}
              remove={() => put({ ...action, fields: fields.filter(({ id }) => id !== field.id) })}
            />
          ))}
        </ul>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {!kept && fields.length < MOST_FIELDS && (
          <Button
            look="quiet"
            className="-ml-2"
            aria-label={`${t("connector.addField")}: ${title}`}
            onClick={() => put({ ...action, fields: [...fields, newField()] })}
          >
            {t("connector.addField")}
          </Button>
        )}
        {remove && (
          <Button look="quiet" aria-label={`${t("connector.removeAction")}: ${title}`} onClick={remove}>
            {t("connector.removeAction")}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface InputProps {
  field: FieldDraft;
  /** Accessible name that distinguishes this field from the others. */
  name: string;
  /** True if an earlier field has the same name. */
  taken: boolean;
  put: (field: FieldDraft) => void;
  remove: () => void;
}
function InputField({ field, name, taken, put, remove }: InputProps) {
  return (
    <li className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-40">
        <Field
          label={t("connector.fieldName")}
          aria-label={`${t("connector.fieldName")}: ${name}`}
          value={field.name}
          onChange={(event) => put({ ...field, name: event.target.value })}
          wrong={taken ? t("connector.fieldTaken") : undefined}
          required
          maxLength={100}
        />
      </div>
      <Select
        label={t("connector.type")}
        aria-label={`${t("connector.type")}: ${name}`}
        value={field.type}
        onChange={(event) => put({ ...field, type: event.target.value as FieldDraft["type"] })}
        options={fieldTypes.map((type) => [type, t(`connector.type.${type}`)])}
      />
      <Tick
        label={t("connector.required")}
        aria-label={`${t("connector.required")}: ${name}`}
        checked={field.required}
        onChange={(event) => put({ ...field, required: event.target.checked })}
      />
      <IconButton icon="close" label={`${t("connector.removeField")}: ${name}`} onClick={remove} />
    </li>
  );
}

/** Catalogue entry that declares a private connector, then shows its secret once. */
export function ByDeclaring({ label, name, changed }: { label: string; name: string; changed: () => Promise<void> }) {
  const { api, member } = useReplica();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Button aria-expanded={isOpen} aria-label={`${label}: ${name}`} onClick={() => setOpen(!isOpen)}>
        {label}
      </Button>
      {isOpen && (
        <Below>
          <p className="mb-3 text-soft">{t("connector.lead")}</p>
          <ConnectorForm
            label={t("integrations.connectNamed", { name })}
            action={t("integrations.connect")}
            send={async (wanted) => {
              const made = await api.createPrivateConnector({ workspace_id: member.workspaceId, ...wanted });
              setSecret(made.signing_secret);
              setOpen(false);
              await changed();
            }}
          />
        </Below>
      )}
      {secret && (
        <div className="w-full">
          <Secret value={secret} help={t("connector.secret")} />
        </div>
      )}
    </>
  );
}
const Below = ({ children }: { children: ReactNode }) => (
  <div className="mt-1 w-full border-t border-line pt-3">{children}</div>
);

/** Tools of a connected private connector: test and edit. */
export function ConnectorTools({
  installation,
  changed,
}: {
  installation: Installation;
  changed: () => Promise<void>;
}) {
  const { api } = useReplica();
  const [isOpen, setOpen] = useState(false);
  const { act, busy, said } = useAct("");
  const [tried, setTried] = useState<Awaited<ReturnType<typeof api.testPrivateConnector>>>();
  const { id, account_name } = installation;
  const test = async () => {
    setTried(undefined);
    setTried(await api.testPrivateConnector({ installation_id: id }));
    await changed();
  };
  return (
    <>
      <Button aria-disabled={busy || undefined} onClick={() => void act(test)}>
        {t("connector.test")}
      </Button>
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t("connector.change")}
      </Button>
      {said}
      {tried && (
        <p
          role="status"
          data-tested={tried.state}
          className={tried.error_code ? "w-full text-bad" : "w-full text-good"}
        >
          {tried.error_code
            ? testErrorText(tried.error_code)
            : t("connector.answered", { ms: tried.duration_ms, name: account_name })}
        </p>
      )}
      {isOpen && <Changing installation={installation} close={() => setOpen(false)} changed={changed} />}
    </>
  );
}

interface ChangingProps {
  installation: Installation;
  close: () => void;
  changed: () => Promise<void>;
}
function Changing({ installation, close, changed }: ChangingProps) {
  const { api } = useReplica();
  const { id, account_name, base_url } = installation;
  const { value, failed, again } = useReading(`connector-actions:${id}`, (client) =>
    client.listInstallationActions({ installation_id: id }),
  );
  if (!value) return <Unread failed={failed} again={() => void again()} rows={3} />;
  return (
    <Below>
      <ConnectorForm
        label={t("connector.changeNamed", { name: account_name })}
        action={t("connector.save")}
        before={{ name: account_name, base_url: base_url ?? "", actions: value.items.map(draftOf) }}
        send={async (wanted) => {
          await api.updatePrivateConnector({ installation_id: id, ...wanted }, { at: installation });
          close();
          await changed();
        }}
      />
    </Below>
  );
}
