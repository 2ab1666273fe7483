// SVG charts in the colours of the page: cumulative lines and bars. Each has a table with its figures, for screen
// readers and for exact values. Series differ by shape, not only by colour.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { niceTicks } from "./scale.ts";

export interface Series {
  name: string;
  values: readonly number[];
  look: "area" | "line" | "dashed";
}
const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [180, 32, 22, 8, 10];
const COLOURS = { area: "var(--accent)", line: "var(--soft)", dashed: "var(--edge)" };

interface ChartProps {
  title: string;
  /** Labels of the x axis, such as days or weeks; `head` is the table heading for them. */
  labels: readonly string[];
  head?: string;
  series: readonly Series[];
  format?: (value: number) => string;
  kind?: "lines" | "bars";
  /** Highlighted position on the x axis, such as today. */
  mark?: number;
}
export function Chart({
  title,
  labels,
  head = t("chart.when"),
  series,
  format = String,
  kind = "lines",
  mark,
}: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const [box, width] = useWidth();
  const most = Math.max(1, ...series.flatMap(({ values }) => values));
  const ticks = niceTicks(most);
  const top = ticks.at(-1) as number;
  const inner = width - LEFT - RIGHT;
  const step = kind === "bars" ? inner / Math.max(1, labels.length) : inner / Math.max(1, labels.length - 1);
  const x = (at: number) => LEFT + (kind === "bars" ? step * (at + 0.5) : step * at);
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil(labels.length / Math.max(2, Math.floor(width / 72)));
  return (
    <figure ref={box} aria-labelledby={id} className="min-w-0">
      <figcaption className="mb-1 flex items-center justify-between gap-2">
        <span id={id} className="font-semibold">
          {title}
        </span>
        <button
          type="button"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          className="tab -mr-2 cursor-pointer"
        >
          {asTable ? t("chart.asPicture") : t("chart.asTable")}
        </button>
      </figcaption>
      {!asTable && (
        <svg width={width} height={HEIGHT} aria-hidden="true" className="block max-w-full">
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
              <Words x={LEFT - 6} y={y(tick) + 3} anchor="end">
                {format(tick)}
              </Words>
            </g>
          ))}
          {labels.map((label, at) =>
            at % every === 0 ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: two people may have one name.
              <Words key={at} x={x(at)} y={HEIGHT - 6} anchor={at === 0 && kind === "lines" ? "start" : "middle"}>
                {label}
              </Words>
            ) : null,
          )}
          {mark !== undefined && (
            <line
              x1={x(mark)}
              x2={x(mark)}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
              stroke="var(--urgent)"
              strokeDasharray="2 3"
            />
          )}
          {kind === "bars"
            ? series[0]?.values.map((value, at) => (
                <rect
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                  key={at}
                  x={x(at) - Math.min(24, step * 0.32)}
                  y={y(value)}
                  width={Math.min(48, step * 0.64)}
                  height={Math.max(0, HEIGHT - BOTTOM - y(value))}
                  rx="2"
                  fill="var(--accent)"
                />
              ))
            : series.map((each) => <Line key={each.name} series={each} x={x} y={y} />)}
        </svg>
      )}
      {!asTable && series.length > 1 && (
        <ul aria-hidden="true" className="mt-1 flex flex-wrap gap-x-4 text-12 text-soft">
          {series.map(({ name, look }) => (
            <li key={name} className="flex items-center gap-1.5">
              <svg viewBox="0 0 20 8" aria-hidden="true" className="w-5">
                <line
                  x1="0"
                  x2="20"
                  y1="4"
                  y2="4"
                  stroke={COLOURS[look]}
                  strokeWidth={look === "area" ? 4 : 2}
                  strokeDasharray={look === "dashed" ? "4 3" : undefined}
                />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <Table title={title} head={head} labels={labels} series={series} format={format} isShown={asTable} />
    </figure>
  );
}

/** Width of the container: the chart is never scaled, so that its text has a constant size. */
function useWidth() {
  const box = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(400);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(200, Math.floor(entry.contentRect.width))),
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [box, width] as const;
}

function Words({
  x,
  y,
  anchor,
  children,
}: {
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
  children: ReactNode;
}) {
  return (
    <text x={x} y={y} textAnchor={anchor} fontSize="11" fill="var(--soft)">
      {children}
    </text>
  );
}

function Line({ series, x, y }: { series: Series; x: (at: number) => number; y: (value: number) => number }) {
  const points = series.values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const last = series.values.length - 1;
  return (
    <>
      {series.look === "area" && last > 0 && (
        <polygon
          points={`${x(0)},${y(0)} ${points.join(" ")} ${x(last)},${y(0)}`}
          fill="var(--accent)"
          opacity="0.15"
        />
      )}
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke={COLOURS[series.look]}
        strokeWidth={series.look === "area" ? 2.5 : 1.8}
        strokeLinejoin="round"
        strokeDasharray={series.look === "dashed" ? "5 4" : undefined}
      />
      {/* Current value, which is the only one on the first day. */}
      {last >= 0 && <circle cx={x(last)} cy={y(series.values[last] ?? 0)} r="3" fill={COLOURS[series.look]} />}
    </>
  );
}

function Table({
  title,
  head,
  labels,
  series,
  format,
  isShown,
}: Required<Pick<ChartProps, "title" | "head" | "labels" | "series" | "format">> & { isShown: boolean }) {
  return (
    <div className={isShown ? "max-h-56 overflow-y-auto" : "sr-only"}>
      <table className="w-full text-left text-12">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className="py-1 font-medium">
              {head}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <tr key={at} className="border-t border-line">
              <th scope="row" className="py-1 font-normal">
                {label}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="py-1 text-right tabular-nums">
                  {values[at] === undefined ? "–" : format(values[at])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
