// Settings pages: personal sections first, then those of the Workspace. A section reads its data when it opens.
import "../messages/later/settings.ts";
import { type ComponentType, lazy } from "react";
import { type Key, t } from "../messages/t.ts";
import { within } from "../ui/address.ts";
import { Nowhere } from "../ui/page.tsx";
import { AssistantSettings } from "./personal/assistant.tsx";
import { NotificationSettings } from "./personal/notifications.tsx";
import { ProfileSettings } from "./personal/profile.tsx";
import { TokenSettings } from "./personal/tokens.tsx";
import { Sections } from "./sections.tsx";
import { LifecycleSettings } from "./workflow/lifecycle.tsx";
import { WorkflowSettings } from "./workflow/workflow.tsx";
import { AiSettings } from "./workspace/ai.tsx";
import { LabelSettings } from "./workspace/labels.tsx";
import { MemberSettings } from "./workspace/members.tsx";
import { ProjectsSettings } from "./workspace/projects.tsx";
import { TimeSettings } from "./workspace/time.tsx";
import { WorkspaceSettings } from "./workspace/workspace.tsx";

const BillingSettings = lazy(() => import("../billing/billing.tsx"));
const IdentitySettings = lazy(() => import("../integrations/identities.tsx"));
const IntegrationSettings = lazy(() => import("../integrations/workspace.tsx"));
const SecuritySettings = lazy(() => import("./personal/security.tsx"));
const WebhookSettings = lazy(() => import("../webhooks/page.tsx"));

interface Group {
  title: Key;
  sections: readonly [name: string, label: Key, shown: ComponentType<{ id?: string }>][];
}
const groups: readonly Group[] = [
  {
    title: "settings.you",
    sections: [
      ["profile", "settings.profile", ProfileSettings],
      ["notifications", "settings.notifications", NotificationSettings],
      ["assistant", "settings.assistant", AssistantSettings],
      ["security", "settings.security", SecuritySettings],
      ["tokens", "settings.tokens", TokenSettings],
      ["identities", "settings.identities", IdentitySettings],
    ],
  },
  {
    title: "settings.workspace",
    sections: [
      ["workspace", "settings.general", WorkspaceSettings],
      ["members", "settings.members", MemberSettings],
      ["billing", "settings.billing", BillingSettings],
      ["projects", "settings.projects", ProjectsSettings],
      ["workflow", "settings.workflow", WorkflowSettings],
      ["lifecycle", "settings.lifecycle", LifecycleSettings],
      ["labels", "settings.labels", LabelSettings],
      ["ai", "settings.ai", AiSettings],
      ["webhooks", "settings.webhooks", WebhookSettings],
      ["time", "settings.time", TimeSettings],
      ["integrations", "settings.integrations", IntegrationSettings],
    ],
  },
];

export default function SettingsPage({ params }: { params: Readonly<Record<string, string>> }) {
  const name = params.section ?? "profile";
  const section = groups.flatMap(({ sections }) => sections).find(([each]) => each === name);
  if (!section) return <Nowhere />;
  const [, label, Shown] = section;
  return (
    <Sections
      groups={groups.map(({ title, sections }) => ({
        title: t(title),
        sections: sections.map(([each, text]) => ({
          to: within(`settings/${each}`),
          label: t(text),
          isHere: each === name,
        })),
      }))}
    >
      <h1 className="mb-4 text-20 font-semibold">{t(label)}</h1>
      <Shown key={name} id={params.id} />
    </Sections>
  );
}
