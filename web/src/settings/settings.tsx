// Settings: what concerns the person first, then what concerns everybody in the Workspace. Each section is loaded with the page and read when it is
// opened.
import { type ComponentType, lazy, useEffect } from "react";
import { type Key, t } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { within } from "../ui/address.ts";
import { Nowhere } from "../ui/page.tsx";
import { AiSettings } from "./ai.tsx";
import { LabelSettings } from "./labels.tsx";
import { MemberSettings } from "./members.tsx";
import { NotificationSettings } from "./notifications.tsx";
import { ProfileSettings } from "./profile.tsx";
import { TimeSettings } from "./time.tsx";
import { TokenSettings } from "./tokens.tsx";
import { WorkflowSettings } from "./workflow.tsx";
import { WorkspaceSettings } from "./workspace.tsx";

const SecuritySettings = lazy(() => import("./security.tsx"));

interface Group {
  title: Key;
  sections: readonly [name: string, label: Key, shown: ComponentType][];
}
const groups: readonly Group[] = [
  {
    title: "settings.you",
    sections: [
      ["profile", "settings.profile", ProfileSettings],
      ["notifications", "settings.notifications", NotificationSettings],
      ["security", "settings.security", SecuritySettings],
      ["tokens", "settings.tokens", TokenSettings],
    ],
  },
  {
    title: "settings.workspace",
    sections: [
      ["workspace", "settings.general", WorkspaceSettings],
      ["members", "settings.members", MemberSettings],
      ["workflow", "settings.workflow", WorkflowSettings],
      ["labels", "settings.labels", LabelSettings],
      ["ai", "settings.ai", AiSettings],
      ["time", "settings.time", TimeSettings],
    ],
  },
];

/** On a phone the sections are one line, which scrolls. */
const inSight = (link: HTMLAnchorElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

export default function SettingsPage({ params }: { params: Readonly<Record<string, string>> }) {
  const name = params.section ?? "profile";
  const section = groups.flatMap(({ sections }) => sections).find(([each]) => each === name);
  const label = section?.[1];
  useEffect(() => {
    document.title = `${label ? t(label) : t("settings.title")} · svc`;
  }, [label]);
  if (!section) return <Nowhere />;
  const Shown = section[2];
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <nav
        aria-label={t("settings.title")}
        className="shrink-0 overflow-x-auto border-b border-line p-2 md:w-52 md:overflow-y-auto md:border-r md:border-b-0"
      >
        <div className="flex gap-4 md:block md:space-y-4">
          {groups.map(({ title, sections }) => (
            <div key={title}>
              <h2 className="px-2 text-11 font-medium text-soft">{t(title)}</h2>
              <ul className="flex md:block">
                {sections.map(([each, text]) => (
                  <li key={each}>
                    <Link
                      to={within(`settings/${each}`)}
                      ref={each === name ? inSight : undefined}
                      aria-current={each === name ? "page" : undefined}
                      className="nav-item whitespace-nowrap"
                    >
                      {t(text)}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl p-4 sm:p-6">
          <h1 className="mb-4 text-20 font-semibold">{t(section[1])}</h1>
          <Shown key={name} />
        </div>
      </div>
    </div>
  );
}
