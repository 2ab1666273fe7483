// The rules of ARCHITECTURE.md as functions of a list of files: each returns its violations, one sentence each. Pure,
// so that the tests can plant files that break them.
import { posix } from "node:path";
import { DECLARATION, operationFiles } from "../../scripts/operation-files.ts";
import { checkedFolders, type Expression, expressionsIn, readVerdicts, verdictIn } from "./expressions.ts";
import { importsIn, importsOf, isTest, type Rule } from "./source-files.ts";
import { typeNames } from "./type-names.ts";

/**
 * The groups of folders in server/src and contract/src, from below. A folder imports only folders that are listed
 * before it.
 */
const GROUPS: Record<string, readonly string[]> = {
  platform: ["wire", "settings", "database", "outside", "background", "kernel"],
  accounts: ["account", "workspaces", "identity", "oauth"],
  planning: ["lifecycle", "projects", "labels", "attachments", "tasks", "comments", "time"],
  knowledge: ["documents", "search", "retrieval", "collaboration", "repository"],
  history: ["feed", "activity", "inbox", "undo", "captures", "proposals"],
  assistant: ["tools", "runs", "agents", "discuss", "mcp"],
  connect: ["integrations", "webhooks", "billing"],
  surfaces: ["realtime", "cli", "home", "include", "reference", "pages", "backup"],
};
const FOLDERS = Object.entries(GROUPS).flatMap(([group, folders]) => folders.map((folder) => `${group}/${folder}`));
const orderOf = (folder: string) => FOLDERS.indexOf(folder);
const groupOf = (folder: string) => folder.split("/")[0] as string;
const orderOfGroup = (folder: string) => Object.keys(GROUPS).indexOf(groupOf(folder));
/** The platform has no domain word: its folders import no other group. */
const isPlatform = (path: string) => path.startsWith("server/src/platform/");
/** The life of a request is read in one sitting. */
const MOST_KERNEL_LINES = 2000;

/**
 * What a domain shows to others; identity also how one registers and signs in, which browsers and native clients share,
 * workspaces how an invitation is accepted, which a registration does too, Tasks and comments how one is made and moved
 * on, which the command line does, and any domain what each of its changes does, which undoing one does too; documents
 * how a content is read, and where those who write together join in; tools what they are, and how they are called; runs
 * how one is carried out.
 */
const SHOWN =
  /(?:^|-)(?:store|access|rules|view|change)\.ts$|^(?:registration|sign-in|accept-invitation|creation|transitions|parsing|references|operation-calls|internal-operations|refusal-text|tool-output|tools?|journal|runner|run-lifecycle|model-loop|tool-call)\.ts$/;
/** Packages that do no I/O. */
const PURE = new Set(["typebox", "node:crypto"]);
/** All that the content of Documents is made with. */
const OF_DOCUMENTS = new Set(["markdown-it", "prosemirror-model"]);
const ROUTES = "client/src/routes.ts";
/**
 * The command line needs no package: it stands on the client, on what a Document says, and on the catalogue of codes.
 */
const OF_THE_COMMAND_LINE = /^(?:cli\/src\/|document\/src\/|node:|@svc\/client$|contract\/src\/errors\.ts$)/;
const OUTSIDE = /^(?:node:(?:net|tls|dns|https?|http2|dgram|child_process)|pg|fastify|graphile-worker|undici)(?:\/|$)/;

/** `planning/tasks` of `server/src/planning/tasks/lists/board.ts`. */
const folderOf = (path: string, part = "server") => new RegExp(`^${part}/src/([^/]+/[^/]+)/`).exec(path)?.[1];

const layers: Rule = (files) =>
  importsIn(files).flatMap(({ from, to, typeOnly }) => {
    const wrong =
      (from.startsWith("contract/src/") && !to.startsWith("contract/") && to !== "typebox") ||
      (from.startsWith("document/src/") && !to.startsWith("document/src/") && !OF_DOCUMENTS.has(to)) ||
      // But for its routes, which are worked out when it is built, all that a client knows of the contract are types.
      (from.startsWith("client/src/") &&
        !to.startsWith("client/src/") &&
        !(to.startsWith("contract/src/") && (typeOnly || from === ROUTES))) ||
      (from.startsWith("cli/src/") && !OF_THE_COMMAND_LINE.test(to)) ||
      (isPlatform(from) && to.startsWith("server/") && !isPlatform(to)) ||
      (isPlatform(from) && /^contract\/src\/.+\//.test(to)) ||
      (from.startsWith("server/") && /^(?:client|cli|web|bench|scripts)\//.test(to)) ||
      (from.startsWith("server/src/") && to.startsWith("server/test/")) ||
      (from.startsWith("web/src/") && to.startsWith("server/"));
    return wrong ? [`${from} must not import ${to}`] : [];
  });

/** Only folders before its own, of other domains only what they show, and no surface. */
const groups: Rule = (files) =>
  importsIn(files).flatMap(({ from, to }) => {
    const [folder, other] = [folderOf(from), folderOf(to)];
    if (folder === undefined || other === undefined || folder === other) return [];
    if (orderOf(other) > orderOf(folder)) return [`${from} imports ${to}, which is above it`];
    if (groupOf(other) === "surfaces") return [`${from} imports ${to}, and nothing imports a surface`];
    return isPlatform(to) || SHOWN.test(posix.basename(to))
      ? []
      : [`${from} imports ${to}, which its domain does not show`];
  });

/** Folders of one group may refer to each other: a declaration names the shapes of another. */
const groupsOfContract: Rule = (files) =>
  importsIn(files).flatMap(({ from, to }) => {
    const [folder, other] = [folderOf(from, "contract"), folderOf(to, "contract")];
    const isAbove = folder !== undefined && other !== undefined && orderOfGroup(other) > orderOfGroup(folder);
    return isAbove ? [`${from} imports ${to}, which is of a higher group`] : [];
  });

const knownFolders: Rule = (files) =>
  files
    .filter(({ path }) => /^(?:server|contract)\/src\/.+\//.test(path))
    .filter(({ path }) => orderOf(folderOf(path) ?? folderOf(path, "contract") ?? "") < 0)
    .map(({ path }) => `${path} is in no folder of a group`);

const WITHOUT_CIRCLES = /^(?:bench|cli|client|contract|document|scripts|server|web)\//;
/** No file imports itself through others, by types either. */
const noCircles: Rule = (files) => {
  const next = new Map(
    files
      .filter(({ path }) => WITHOUT_CIRCLES.test(path))
      .map((file) => [file.path, importsOf(file).map(({ to }) => to)] as const),
  );
  // A file that imports no remaining file is in no circle.
  for (let before = -1; before !== next.size; ) {
    before = next.size;
    for (const [path, to] of next) if (!to.some((each) => next.has(each))) next.delete(path);
  }
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((step) => {
      if (step === to) return true;
      if (seen.has(step)) return false;
      return reaches(step, to, seen.add(step));
    });
  return [...next.keys()].filter((path) => reaches(path, path, new Set())).map((path) => `${path} imports itself`);
};

const kernelSize: Rule = (files) => {
  const own = files.filter(({ path }) => folderOf(path) === "platform/kernel" && !isTest(path));
  const lines = own.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  return lines > MOST_KERNEL_LINES
    ? [`server/src/platform/kernel has ${lines} lines, at most ${MOST_KERNEL_LINES} are read`]
    : [];
};

const verdicts = readVerdicts();
/** Texts of people reach expressions on the event loop: each is linear, or says what bounds the text. */
const linearExpressions: Rule = (files) =>
  files
    .filter(({ path }) => checkedFolders.some((folder) => path.startsWith(`${folder}/`)) && !isTest(path))
    .flatMap((file) => expressionsIn(file).flatMap((expression) => faultsOfExpression(expression, file.path)));
export function faultsOfExpression(expression: Expression, path: string): string[] {
  const verdict = verdictIn(verdicts, expression, path);
  const where = `${path}:${expression.line} /${expression.source}/${expression.flags}`;
  if (verdict === undefined) return [`${where} has no verdict: run npm run expressions`];
  return verdict === "superlinear" ? [`${where} takes more than linear time`] : [];
}

/** Files below the surfaces that are no handlers. */
const NO_HANDLERS = new Set([
  // Routes of OAuth's metadata, which are no operations.
  "server/src/accounts/oauth/metadata.ts",
  // A command of operators.
  "server/src/accounts/oauth/reviewed-clients.ts",
  // The server of MCP: its requests and answers, and a method called fetch.
  ...["exchange", "mcp", "protocol"].map((name) => `server/src/assistant/mcp/${name}.ts`),
]);
/** A handler has nothing to reach the network with. */
const noWayOut: Rule = (files) =>
  files.flatMap((file) => {
    const group = groupOf(folderOf(file.path) ?? "");
    if (isTest(file.path) || NO_HANDLERS.has(file.path) || ["", "platform", "surfaces"].includes(group)) return [];
    const reached = importsOf(file).flatMap(({ to }) => (OUTSIDE.test(to) ? [to] : []));
    return [...reached, ...(/\bfetch\(/.test(file.text) ? ["fetch"] : [])].map(
      (way) => `${file.path} reaches outside with ${way}`,
    );
  });

/**
 * A text of 262,144 characters takes a second to read: that is done in threads, by
 * knowledge/documents/content/parsing.ts.
 */
const readApart: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith("server/src/") && !path.startsWith("server/src/knowledge/documents/content/"))
    .filter(({ path, text }) => !isTest(path) && /\b(?:from|to)Markdown\b/.test(text))
    .map(({ path }) => `${path} reads or writes Markdown on the event loop`);

/** rules.ts is pure: nothing that it imports, however far, is more than the contract and our own code. */
const pureRules: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const impure = (path: string, seen: Set<string>): string[] => {
    const file = byPath.get(path);
    if (seen.has(path)) return [];
    seen.add(path);
    if (!file) return /^(?:contract|server)\//.test(path) || PURE.has(path) ? [] : [path];
    return importsOf(file).flatMap(({ to, typeOnly }) => (typeOnly ? [] : impure(to, seen)));
  };
  return files
    .filter(({ path }) => posix.basename(path) === "rules.ts")
    .flatMap(({ path }) => impure(path, new Set()).map((to) => `${path} reaches ${to}`));
};

const sizes: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const most = path.startsWith("scripts/") ? 100 : 400;
    return lines > most ? [`${path} has ${lines} lines, at most ${most} are allowed`] : [];
  });

const MOST_FILES = 20;
/** A folder is read at a glance: one with more files is split by subject. Tests do not count. */
const folderSizes: Rule = (files) => {
  const own = files.filter(({ path }) => /^(?:cli|client|contract|document|server)\/src\//.test(path) && !isTest(path));
  return [...Map.groupBy(own, ({ path }) => posix.dirname(path))].flatMap(([folder, { length }]) =>
    length > MOST_FILES ? [`${folder} has ${length} files, at most ${MOST_FILES} are allowed`] : [],
  );
};

const names: Rule = (files) =>
  files.flatMap(({ path }) => {
    const parts = path.split("/");
    const kebab = parts.every((part) => /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/.test(part));
    const banned = parts.some((part) => /\b(?:utils?|helpers?|common|managers?|services?|misc|shared)\b/.test(part));
    return [
      ...(kebab ? [] : [`${path} is not in kebab-case`]),
      ...(banned ? [`${path} has a name that says nothing`] : []),
    ];
  });

/** Nouns that end like a participle. */
const NOUNS =
  /^(?:billing|binding|building|feed|formatting|heading|mapping|parsing|pricing|ranking|seed|spelling|tracking)$/;
/**
 * Words that end otherwise and do not name what is in a file either: adverbs, prepositions, pronouns, participles,
 * verbs.
 */
const NO_NOUNS = new Set(
  [
    "about above after again ahead alone already anew apart around aside away before beforehand behind below " +
      "beside besides between",
    "beyond elsewhere here inside later near now often outside over recently since soon then there through " +
      "together under until when",
    "where within without me mine one own ours several due done drawn forgot forgotten found given gone heard " +
      "held kept known laid left",
    "lost made meant met said seen sent shown sold spoken taken taught thought told understood written arrange " +
      "authenticate begin connect",
    "enter forget implement listen may modify perform persist recognise remember translate validate",
  ].flatMap((words) => words.split(" ")),
);
/** A file is called by what is in it: a noun, or a verb and its object. */
const fileNames: Rule = (files) =>
  files
    .filter(({ path }) => /^(?:cli|client|contract|document|server|web)\/src\//.test(path))
    .filter(({ path }) => {
      const [word = ""] = posix.basename(path).split(".");
      return NO_NOUNS.has(word) || (/^[a-z]+(?:ing|ed)$/.test(word) && !NOUNS.test(word));
    })
    .map(({ path }) => `${path}: its name does not say what is in it: take a noun, or a verb and its object`);

const openings: Rule = (files) =>
  files
    .filter(
      ({ path, text }) =>
        /^(?:cli|client|contract|document|server|web)\/src/.test(path) && !isTest(path) && !text.startsWith("//"),
    )
    .map(({ path }) => `${path} does not say what it is for`);

/**
 * contract/src/planning/tasks/tasks.ts declares, server/src/planning/tasks/tasks.ts implements,
 * server/src/planning/tasks/tasks.test.ts proves.
 */
const mirrored: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files
    .filter(({ path }) => /^contract\/src\/.+\//.test(path))
    .flatMap(({ path, text }) => {
      const declared = [...text.matchAll(DECLARATION)].map(([, id]) => id as string);
      if (declared.length === 0) return [];
      const server = path.replace("contract/", "server/");
      const code = byPath.get(server)?.text ?? "";
      const missing = declared.filter((id) => !new RegExp(`^export const ${id} = implement`, "m").test(code));
      return [
        ...missing.map((id) => `${id} of ${path} is not implemented in ${server}`),
        ...(byPath.has(server.replace(/ts$/, "test.ts")) ? [] : [`${server} has no test beside it`]),
        ...(declared.length > 12 ? [`${path} declares ${declared.length} operations, at most 12 are allowed`] : []),
      ];
    });
};

/** The lists of the files that declare and implement operations name all of them, and nothing else. */
const registered: Rule = (files) => {
  const byPath = new Map(files.map(({ path, text }) => [path, text]));
  return [...operationFiles(files)]
    .filter(([path, text]) => byPath.get(path) !== text)
    .map(([path]) => `${path} does not list the files of the contract that declare operations: run npm run docs`);
};

/** Every code of the catalogue is declared by an operation or thrown somewhere. */
const usedCodes: Rule = (files) => {
  const catalogue = files.filter(({ path }) => /^contract\/src\/(?:.+\/)?errors\.ts$/.test(path));
  const others = files.filter((file) => !catalogue.includes(file) && !isTest(file.path)).map(({ text }) => text);
  const codes = catalogue.flatMap(({ text }) =>
    [...text.matchAll(/^ {2}(\w+): entry\(/gm)].map(([, code]) => code as string),
  );
  return codes
    .filter((code) => !others.some((text) => text.includes(`"${code}"`)))
    .map((code) => `nothing answers with ${code}`);
};

/** Test files share the globals of their worker: one that puts something in their place takes it away again. */
const BACK: Record<string, string> = { stubGlobal: "unstubAllGlobals", useFakeTimers: "useRealTimers" };
const nothingLeft: Rule = (files) =>
  files
    .filter(({ path }) => /\.test\.tsx?$/.test(path) && path !== "server/test/architecture.test.ts")
    .flatMap(({ path, text }) =>
      Object.entries(BACK)
        .filter(([put, back]) => text.includes(`vi.${put}(`) && !text.includes(`vi.${back}(`))
        .map(([put]) => `${path}: what ${put} has put there stays for the files behind it`),
    );

/** What makes a test last: the comment on its line or before it says why no result depends on how long. */
const WAITS = /\b(?:sleep|setTimeout|setInterval|waitForTimeout|pg_sleep)\(/;
const EXPLAINED = /\/\/ Wait: \S/;
const explainedWaits: Rule = (files) =>
  files
    .filter(({ path }) => /\.test\.tsx?$/.test(path) && path !== "server/test/architecture.test.ts")
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, at, lines) => {
        const isExplained = EXPLAINED.test(line) || EXPLAINED.test(lines[at - 1] ?? "");
        return WAITS.test(line) && !isExplained
          ? [`${path}:${at + 1} waits and no comment "// Wait: why" says why`]
          : [];
      }),
    );

/**
 * What comes and goes by the thousand. With a weak collection of such V8 ends its marking while the process stands
 * still, for 18 ms in place of one.
 */
const weakByRequest: Rule = (files) =>
  files
    .filter(({ path, text }) => {
      const isService = path.startsWith("server/src/") && !path.endsWith(".test.ts");
      return (
        isService && /new Weak(?:Map|Set)<(?:IncomingMessage|ServerResponse|Fastify\w+|WebSocket|Socket)\b/.test(text)
      );
    })
    .map(({ path }) => `${path}: keep it on the request itself, or in a Map until the socket is closed`);

/** A statement that makes a Task or gives it a Status, in words or with columns that come from elsewhere. */
const WRITES_STATUS =
  /\b(?:insert into tasks\b|update tasks\b[^`]{0,200}?(?:\bstatus_id =|set \$\{assignments\})|update \$\{table\}[^`]{0,40}?\$\{column\} =)/;
const STATUS_STORES: Record<string, RegExp> = {
  // Whoever calls these asks reviewRefusal of planning/tasks/rules.ts first.
  "server/src/planning/tasks/store.ts": /\b(?:store\.)?(?:updateTask|createTask)\(tx/,
  "server/src/planning/tasks/bulk-store.ts": /\bstore\.updateTasks\(tx/,
  "server/src/planning/tasks/move-store.ts": /\b(?:store\.)?(?:moveTask|returnTask|duplicateTask)\(tx/,
  // Whoever manages the workflow moves all the work of a Status at once, which completes nothing by hand.
  "server/src/planning/lifecycle/store.ts": /\bmoveEntities\(tx/,
  // Pictures of people and Workspaces.
  "server/src/platform/outside/picture.ts": /(?!)/,
};
const STATUS_CALLERS = [
  ...["change", "creation", "bulk", "move", "move-change", "description-change"].map(
    (name) => `server/src/planning/tasks/${name}.ts`,
  ),
  ...["mappings", "jobs", "milestone-lifecycle"].map((name) => `server/src/planning/lifecycle/${name}.ts`),
  "server/src/planning/projects/workflow/step-operations.ts",
];
/**
 * Every way into a Status passes the rule of review: no other statement writes one, and nobody else calls those that
 * do.
 */
const statusWriters: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith("server/src/") && !isTest(path))
    .flatMap(({ path, text }) => [
      ...(WRITES_STATUS.test(text) && !(path in STATUS_STORES) ? [`${path} writes the Status of Tasks`] : []),
      ...(!(path in STATUS_STORES) &&
      !STATUS_CALLERS.includes(path) &&
      Object.values(STATUS_STORES).some((call) => call.test(text))
        ? [`${path} calls what writes the Status of Tasks`]
        : []),
    ]);

export const rules: Record<string, Rule> = {
  layers,
  groups,
  groupsOfContract,
  knownFolders,
  noCircles,
  kernelSize,
  linearExpressions,
  noWayOut,
  readApart,
  pureRules,
  sizes,
  folderSizes,
  typeNames,
  names,
  fileNames,
  openings,
  mirrored,
  registered,
  usedCodes,
  statusWriters,
  nothingLeft,
  explainedWaits,
  weakByRequest,
};
