// Daily usage of an Agent, as a chart with a table.
import { t } from "../messages/t.ts";
import { Block } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Chart } from "../ui/chart/chart.tsx";
import { dayText, today } from "../ui/formats/dates.ts";
import { RUNS } from "./words.ts";

export function Usage({ definitionId }: { definitionId: string }) {
  const { member } = useReplica();
  const home = useHome();
  const { value } = useReading(
    `agent-usage:${definitionId}`,
    (api) => api.getAgentUsage({ workspace_id: member.workspaceId, definition_id: definitionId }),
    { on: RUNS },
  );
  if (!value) return null;
  const number = new Intl.NumberFormat(home?.locale, { maximumFractionDigits: 1 });
  const from = today("UTC");
  return (
    <Block title={t("agents.usage")}>
      <p className="mb-3 text-soft" data-usage={value.total.runs}>
        {t("agents.total", { runs: number.format(value.total.runs), cost: number.format(value.total.cost) })}
      </p>
      {value.total.runs > 0 && (
        <Chart
          title={t("agents.tokens")}
          labels={value.days.map(({ date }) => dayText(date, from, home?.locale))}
          series={[
            { name: t("agents.read"), values: value.days.map((day) => day.input_tokens), look: "area" },
            { name: t("agents.written"), values: value.days.map((day) => day.output_tokens), look: "line" },
          ]}
          format={(tokens) => new Intl.NumberFormat(home?.locale, { notation: "compact" }).format(tokens)}
        />
      )}
    </Block>
  );
}
