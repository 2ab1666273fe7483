// Parts of a message beside its text: the tools that an answer used (names only, never their arguments), and the files
// attached to a question.
import { has, type Key, t } from "../messages/t.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import type { DiscussMessage } from "../store/rows.ts";
import { openTask } from "../ui/address.ts";
import { Icon } from "../ui/icons.tsx";
import { opened } from "./sources.tsx";

export type Part = DiscussMessage["parts"][number];
export type PartOf<Kind extends Part["kind"]> = Extract<Part, { kind: Kind }>;
export const partsOf = <Kind extends Part["kind"]>({ parts }: DiscussMessage, kind: Kind) =>
  parts.filter((part): part is PartOf<Kind> => part.kind === kind);

const toolText = (tool: string) => (has(`tool.${tool}`) ? t(`tool.${tool}` as Key) : tool);

/** Collapses consecutive uses of one tool into one line. */
export function Activity({ uses }: { uses: readonly PartOf<"tool_activity">[] }) {
  const lines: { tool: string; state: string; count: number; id: string }[] = [];
  for (const { tool, state, part_id } of uses) {
    const last = lines.at(-1);
    if (last && last.tool === tool && last.state === state) last.count++;
    else lines.push({ tool, state, count: 1, id: part_id });
  }
  if (lines.length === 0) return null;
  return (
    <ul aria-label={t("talk.activity")} className="space-y-0.5">
      {lines.map(({ tool, state, count, id }) => (
        <li key={id} data-tool={state} className="flex items-center gap-1.5 text-12 text-soft">
          <Icon
            name={state === "running" ? "more" : state === "refused" ? "blocked" : "check"}
            className={`size-3 ${state === "running" ? "motion-safe:animate-pulse" : ""}`}
          />
          <span>
            {toolText(tool)}
            {count > 1 && ` (${count})`}
            {state === "refused" && `: ${t("talk.refusedUse")}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function TaskCard({ part }: { part: PartOf<"task_result"> }) {
  return (
    <button
      type="button"
      onClick={() => {
        opened();
        openTask(part.task_id);
      }}
      className="flex w-full cursor-pointer items-baseline gap-2 rounded-lg border border-line bg-card px-2.5 py-2 text-left hover:bg-hover"
    >
      <span className="shrink-0 text-12 text-soft tabular-nums">{part.task_code}</span>
      <span className="min-w-0 flex-1 truncate">{part.title}</span>
    </button>
  );
}

export function SentFile({ id }: { id: string }) {
  const { api, member } = useReplica();
  const workspace_id = member.workspaceId;
  const { value } = useReading(`discuss-file:${id}`, (client) => client.getDiscussFile({ workspace_id, file_id: id }));
  const isSafe = value?.scan_state === "clean" || value?.scan_state === "not_scanned";
  async function save() {
    const { url } = await api.downloadDiscussFile({ workspace_id, file_id: id });
    const link = document.createElement("a");
    link.href = url;
    link.download = "";
    link.click();
  }
  return (
    <button
      type="button"
      disabled={!isSafe}
      onClick={() => void save().catch(() => {})}
      className="flex min-h-7 max-w-full cursor-pointer items-center gap-1.5 rounded-md border border-line bg-card px-2 text-12 hover:bg-hover disabled:cursor-default"
    >
      <Icon name="file" className="size-3.5 text-soft" />
      <span className="min-w-0 truncate">{value?.filename ?? t("talk.file")}</span>
      {value && value.scan_state !== "clean" && (
        <span className="shrink-0 text-soft">{t(`talk.scan.${value.scan_state as "pending"}`)}</span>
      )}
    </button>
  );
}
