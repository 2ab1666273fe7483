// Imports Tasks from a table: shows a preview, then creates them one by one, so that their numbers follow the order of
// the rows. Each row has an idempotency key made from the file and the row number: an interrupted import can be run
// again and creates no row twice.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Problem } from "@svc/client";
import { digestOf, openJournal } from "../bulk/journal.ts";
import { type Asked, askedBy, type Mapping, mappingOf, PLAIN } from "../bulk/mapping.ts";
import type { Run } from "../command.ts";
import { openSession, type Session } from "../credentials/session.ts";
import { EXIT, Failure, failureOf, usage } from "../failure.ts";
import { bytesFrom, type Input } from "../input.ts";
import { csvLine, decoded, parseCsv, SEPARATORS, type Table } from "../output/csv.ts";
import { progressOf } from "../output/progress.ts";
import { type Screen, safeLine } from "../output/screen.ts";
import { table as tableOf } from "../output/table.ts";
import { pathFrom } from "../runtime.ts";
import { toolsOf } from "../tools.ts";

const SHOWN = 5;
const TOLD = 10;

interface Refused {
  row: number;
  reason: string;
}

function bytesOf(input: Input, file: string): Uint8Array {
  try {
    return bytesFrom(input, file);
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Finds Status and label names of the table that the Project does not have, if the mapping includes these fields,
 * before anything is sent.
 */
async function unknownWords(session: Session, project: string, asked: readonly Asked[], mapping: Mapping) {
  if (!mapping.columns.has("status") && !mapping.columns.has("labels")) return [];
  const { statuses, labels = [], more = "" } = await toolsOf(session)("get_project", { key: project });
  const known = {
    status: (statuses as { name: string }[]).map(({ name }) => name),
    // If the Project has more labels than the answer lists, unknown ones are only detected by the service.
    labels: /labels/.test(more) ? null : (labels as string[]),
  };
  return Object.entries(known).flatMap(([field, names]) => {
    if (!names) return [];
    const is = new Set(names.map((name) => name.toLowerCase()));
    const used = asked.flatMap((row) => row[field] ?? []);
    const unknown = [...new Set(used)].filter((word) => !is.has(word.toLowerCase()));
    return unknown.map((word) => ({ field, word, known: names }));
  });
}

function preview(
  { header, rows }: Table,
  mapping: Mapping,
  good: readonly { row: number; asked: Asked }[],
  bad: readonly Refused[],
  unknown: Awaited<ReturnType<typeof unknownWords>>,
  screen: Screen,
): string {
  const fields = [...mapping.columns];
  const head = (text: string) => screen.colour("bold", text);
  const columns = [
    { title: "row", of: ({ row }: { row: number }) => String(row) },
    ...fields.map(([field]) => ({
      title: field,
      of: ({ asked }: { asked: Asked }) => [asked[field] ?? []].flat().join(", "),
      shrinks: true as const,
    })),
  ];
  const cannot = [
    ...bad.slice(0, TOLD).map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(bad.length > TOLD ? [`  and ${bad.length - TOLD} rows more`] : []),
    ...unknown.map(
      ({ field, word, known }) =>
        `  ${field} ${JSON.stringify(word)} is none of: ${known.join(", ")}. Say what it is: ` +
        `--value "${field}:${word}=..."`,
    ),
  ];
  return [
    `${head("Columns")}\n${fields.map(([field, at]) => `  ${header[at]} -> ${field}`).join("\n")}${
      mapping.ignored.length > 0 ? `\n  left out: ${mapping.ignored.join(", ")}` : ""
    }`,
    `${head(`The first of ${rows.length} rows`)}\n${tableOf(good.slice(0, SHOWN), columns as never, screen)}`,
    ...(cannot.length > 0 ? [`${head("What cannot be imported")}\n${safeLines(cannot)}`] : []),
  ].join("\n\n");
}
const safeLines = (lines: readonly string[]) => lines.map(safeLine).join("\n");

export const importTasks: Run = async (input) => {
  const file = input.needed("file");
  const code = input.text("project")?.toUpperCase();
  if (code === undefined) throw usage("Into which Project?", "Say it so: svc import tasks.csv --project ENG");
  const bytes = bytesOf(input, file);
  const table = parseCsv(decoded(bytes), SEPARATORS[input.text("separator") ?? ""]);
  const mapping = mappingOf(table, input.list("map"), input.list("value"));
  const session = openSession(input);
  const project = await session.client.getCliProject({ project_code: code });
  const refused: Refused[] = [];
  const good: { row: number; asked: Asked }[] = [];
  for (const { number, cells } of table.rows) {
    const asked = askedBy(cells, mapping, table.header.length);
    if (typeof asked === "string") refused.push({ row: number, reason: asked });
    else good.push({ row: number, asked });
  }
  const unknown = await unknownWords(
    session,
    project.code,
    good.map(({ asked }) => asked),
    mapping,
  );
  if (input.has("preview"))
    return {
      data: {
        project: project.code,
        rows: table.rows.length,
        columns: Object.fromEntries(named(table, mapping)),
        left_out: mapping.ignored,
        refused,
        unknown: unknown.map(({ field, word }) => ({ field, word })),
      },
      text: (screen) => preview(table, mapping, good, refused, unknown, screen),
      next: "Nothing was imported. Leave --preview out to do it.",
      exit: refused.length + unknown.length > 0 ? EXIT.failed : 0,
    };
  if (input.screen.interactive && !input.has("yes"))
    await agreed(
      input,
      `${preview(table, mapping, good, refused, unknown, input.screen)}\n\nImport ${good.length} rows into ` +
        `${project.code}? [y/N] `,
    );

  // The creation time distinguishes Projects with the same key in different Workspaces of one service.
  const identity = digestOf(bytes, session.url, project.code, project.created_at);
  const journal = openJournal(input.env, identity);
  if (journal.mark !== undefined && journal.mark !== mapping.mark && journal.done.size > 0)
    throw usage(
      "A part of this file was imported with another mapping.",
      "Finish it with the same --map and --value, or import what is left from a file of its own.",
    );
  if (journal.mark !== mapping.mark) journal.note({ mark: mapping.mark });
  const progress = progressOf(input.stderr, good.length, "rows");
  const create = creatorOf(session, project.code, mapping);
  let [imported, already, stop]: [number, number, Failure | undefined] = [0, 0, undefined];
  const onInterrupt = () => {
    stop = new Failure(EXIT.failed, "Stopped.");
  };
  const stopListening = input.onSignals(["SIGINT"], onInterrupt);
  for (const { row, asked } of good) {
    if (stop) break;
    if (journal.done.has(row)) already++;
    else if (journal.lost.has(row))
      refused.push({
        row,
        reason: "It was sent, no answer came, and that is more than a day ago: see whether it is there.",
      });
    else
      try {
        journal.note({ row });
        const made = await create(asked, `svc-import-${digestOf(identity, String(row))}`);
        journal.note({ row, code: made });
        imported++;
        progress.at(imported + already, made);
      } catch (error) {
        const failure = failureOf(error);
        if (isOfRow(error)) {
          journal.note({ row, code: null });
          refused.push({ row, reason: failure.message.replace(/\s*\n\s*/g, " ") });
        } else stop ??= failure;
      }
  }
  stopListening();
  progress.end();
  refused.sort((a, b) => a.row - b.row);
  const report = refused.length === 0 ? null : reported(input, table, refused);
  const left =
    good.length - imported - already - refused.filter(({ row }) => good.some((each) => each.row === row)).length;
  const ended = stop as Failure | undefined;
  return {
    data: { project: project.code, rows: table.rows.length, imported, already, left, refused, report },
    text: (screen) =>
      [
        `Imported ${imported} of ${table.rows.length} rows into ` +
          `${project.code}${already > 0 ? `; ${already} were there already` : ""}.`,
        ...refused.slice(0, TOLD).map(({ row, reason }) => screen.colour("yellow", safeLine(`row ${row}: ${reason}`))),
        ...(report ? [`${refused.length} refused: see ${report}. Mend them there, and import that file.`] : []),
        ...(ended ? [safeLine(ended.message), `${left} are left. Run the same command again to go on.`] : []),
      ].join("\n"),
    exit: ended?.exit ?? (refused.length > 0 ? EXIT.failed : 0),
  };
};

const named = ({ header }: Table, { columns }: Mapping) =>
  [...columns].map(([field, at]) => [field, header[at]] as const);

async function agreed({ stdin, stderr }: Input, question: string): Promise<void> {
  const lines = createInterface({ input: stdin, output: stderr });
  const said = await lines.question(question).finally(() => lines.close());
  if (!/^y(es)?$/i.test(said.trim())) throw new Failure(EXIT.failed, "Nothing was imported.");
}

const WAITS_MS = [500, 1000, 2000, 4000, 8000, 16_000];
const NOT_NOW = ["unreachable", "overloaded", "maintenance", "rate_limited", "idempotency_in_progress"];
/** Creates one Task. A request without an answer is retried with its idempotency key. */
function creatorOf(session: Session, project: string, { columns }: Mapping) {
  const isPlain = [...columns.keys()].every((field) => PLAIN.includes(field));
  let use = toolsOf(session);
  const once = async ({ title, description, priority, ...more }: Asked, key: string): Promise<string> =>
    isPlain
      ? (
          await session.client.createCliTask(
            {
              project_code: project,
              title,
              description_markdown: description as string | undefined,
              priority: priority as "none" | undefined,
            },
            { key },
          )
        ).code
      : (await use("create_task", { project, title, description, priority, ...more, key })).code;
  return async (asked: Asked, key: string): Promise<string> => {
    for (let attempt = 0; ; attempt++)
      try {
        return await once(asked, key);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // A tool's token can expire during a long import.
        const renew = error.status === 401 && !isPlain && attempt === 0;
        const wait = WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] as number;
        const again = NOT_NOW.includes(error.code) && (attempt < WAITS_MS.length || error.code === "rate_limited");
        if (renew) use = toolsOf(session);
        else if (again)
          await new Promise((resolve) => setTimeout(resolve, Math.max(wait, (error.retryAfter ?? 0) * 1000)));
        else throw error;
      }
  };
}

/** True if the error concerns only this row, so that the import can continue. */
const isOfRow = (error: unknown) =>
  error instanceof Problem &&
  [400, 404, 409, 413, 422].includes(error.status) &&
  !["project_archived", "project_closed", "idempotency_in_progress"].includes(error.code);

/**
 * Writes the refused rows next to the file as a table that can be corrected and imported. It never overwrites a file
 * with other content, which somebody may be correcting.
 */
function reported(input: Input, { header, rows, separator }: Table, refused: readonly Refused[]): string {
  const reasons = new Map(refused.map(({ row, reason }) => [row, reason]));
  const text = [
    csvLine([...header, "Refused because"], separator),
    ...rows.flatMap(({ number, cells }) => {
      const reason = reasons.get(number);
      return reason === undefined ? [] : [csvLine([...header.map((_, at) => cells[at] ?? ""), reason], separator)];
    }),
  ].join("");
  const file = input.needed("file");
  const base =
    input.text("report")?.replace(/\.csv$/i, "") ?? `${file === "-" ? "import" : file.replace(/\.\w+$/, "")}.refused`;
  for (let count = 1; ; count++) {
    const path = `${base}${count === 1 ? "" : `-${count}`}.csv`;
    try {
      const target = pathFrom(input, path);
      if (existsSync(target) && readFileSync(target, "utf8") !== `\ufeff${text}`) continue;
      writeFileSync(target, `\ufeff${text}`);
      return path;
    } catch (error) {
      input.stdout.write(text);
      throw new Failure(
        EXIT.failed,
        `${path} cannot be written: ${(error as Error).message}`,
        "Name another place: --report FILE",
      );
    }
  }
}
