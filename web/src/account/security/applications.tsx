// Connected applications of the account, each with a revoke button.

import { say } from "../../messages/t.ts";
import { Alert, Loading, Section } from "../page-elements.tsx";
import { svc } from "../svc.ts";
import { day, Row, useRows } from "./rows.tsx";

interface Grant {
  id: string;
  client_name: string;
  workspace_name: string;
  last_used_at: string | null;
}

export function ApplicationsSection() {
  const mcp = useRows(() => svc.listMcpGrants({ limit: 100 }));
  const developer = useRows(() => svc.listDeveloperGrants({ limit: 100 }));
  const phones = useRows(() => svc.listMobileCredentials({ limit: 100 }));
  const problem = mcp.problem ?? developer.problem ?? phones.problem;
  if (problem) return <Section title={say("Applications")}>{<Alert problem={problem} />}</Section>;
  if (!mcp.rows || !developer.rows || !phones.rows)
    return (
      <Section title={say("Applications")}>
        <Loading lines={1} />
      </Section>
    );
  if (mcp.rows.length + developer.rows.length + phones.rows.length === 0)
    return (
      <Section title={say("Applications")}>
        <p className="text-soft">{say("No application acts for you.")}</p>
      </Section>
    );
  return (
    <Section title={say("Applications")}>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {grantRows(developer.rows, (id) => svc.deleteDeveloperGrant({ grant_id: id }), developer.load)}
        {grantRows(mcp.rows, (id) => svc.deleteMcpGrant({ grant_id: id }), mcp.load)}
        {phones.rows.map(({ id, client_name, device_name, last_used_at }) => (
          <Row
            key={id}
            name={device_name ?? client_name}
            action={say("Sign out")}
            remove={async () => {
              await svc.deleteMobileCredential({ credential_id: id });
              await phones.load();
            }}
          >
            <p className="font-medium break-words">{device_name ?? client_name}</p>
            <p className="text-sm text-soft">
              <bdi>{client_name}</bdi> {say("· last used")} {day(last_used_at)}
            </p>
          </Row>
        ))}
      </ul>
    </Section>
  );
}

/** Rows of one family of OAuth clients; each grant belongs to one Workspace. */
const grantRows = (rows: Grant[], shutOut: (id: string) => Promise<unknown>, load: () => PromiseLike<unknown>) =>
  rows.map(({ id, client_name, workspace_name, last_used_at }) => (
    <Row
      key={id}
      name={client_name}
      action={say("Shut out")}
      remove={async () => {
        await shutOut(id);
        await load();
      }}
    >
      <p className="font-medium break-words">{client_name}</p>
      <p className="text-sm break-words text-soft">
        {say("In")} <bdi>{workspace_name}</bdi> {say("· last used")} {day(last_used_at)}
      </p>
    </Row>
  ));
