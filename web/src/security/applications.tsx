// The applications that you have let in, and a way to shut each out at once.
import { call } from "../api.ts";
import { Alert, Loading, Section } from "../parts.tsx";
import { day, Row, useRows } from "./rows.tsx";

interface McpGrant {
  id: string;
  client_name: string;
  workspace_name: string;
  last_used_at: string | null;
}
interface MobileCredential {
  id: string;
  client_name: string;
  device_name: string | null;
  last_used_at: string;
}

export function ApplicationsSection() {
  const grants = useRows<McpGrant>("/me/mcp/grants?limit=100");
  const phones = useRows<MobileCredential>("/me/mobile-credentials?limit=100");
  const problem = grants.problem ?? phones.problem;
  if (problem) return <Section title="Applications">{<Alert problem={problem} />}</Section>;
  if (!grants.rows || !phones.rows)
    return (
      <Section title="Applications">
        <Loading lines={1} />
      </Section>
    );
  if (grants.rows.length + phones.rows.length === 0)
    return (
      <Section title="Applications">
        <p className="text-soft">No application acts for you.</p>
      </Section>
    );
  return (
    <Section title="Applications">
      <ul className="divide-y divide-line rounded-lg border border-line">
        {grants.rows.map(({ id, client_name, workspace_name, last_used_at }) => (
          <Row
            key={id}
            name={client_name}
            action="Shut out"
            remove={async () => {
              await call("DELETE", `/me/mcp/grants/${id}`);
              await grants.load();
            }}
          >
            <p className="font-medium break-words">{client_name}</p>
            <p className="text-sm break-words text-soft">
              In <bdi>{workspace_name}</bdi> · last used {day(last_used_at)}
            </p>
          </Row>
        ))}
        {phones.rows.map(({ id, client_name, device_name, last_used_at }) => (
          <Row
            key={id}
            name={device_name ?? client_name}
            action="Sign out"
            remove={async () => {
              await call("DELETE", `/me/mobile-credentials/${id}`);
              await phones.load();
            }}
          >
            <p className="font-medium break-words">{device_name ?? client_name}</p>
            <p className="text-sm text-soft">
              <bdi>{client_name}</bdi> · last used {day(last_used_at)}
            </p>
          </Row>
        ))}
      </ul>
    </Section>
  );
}
