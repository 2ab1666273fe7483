// Plain requests that are recognised without a model, in English and German: each intent has patterns. Anything else is
// a question and is searched for. Pure.
const CODE = "(?<code>[a-z][a-z0-9]{1,9}-[1-9][0-9]{0,8})";
const KEY = "(?<project>[a-z][a-z0-9]{1,9})";
const says = (...patterns: string[]) =>
  patterns.map((pattern) => new RegExp(`^(?:please |bitte )?(?:${pattern}) ?[.!?]*$`, "iu"));

export const intents = {
  overdue: says(
    "(?:what(?:'s| is)|which tasks are|show(?: me)?|list)?\\s*(?:my )?overdue(?: tasks)?",
    "(?:was ist|welche aufgaben sind|zeige?(?: mir)?)?\\s*(?:meine )?überfällig(?:e|en)?(?: aufgaben)?",
  ),
  assigned: says(
    "(?:what(?:'s| is)|show(?: me)?|list)?\\s*(?:my (?:open )?(?:tasks|work)|assigned to me)|what should i " +
      "(?:do|work on)(?: next| today)?",
    "(?:was sind|zeige?(?: mir)?)?\\s*meine (?:offenen )?(?:aufgaben|arbeit)|was soll ich (?:als nächstes |heute " +
      ")?(?:tun|machen)",
  ),
  dueSoon: says(
    "(?:what is|what's|show(?: me)? what is)\\s+due(?: soon| this week)?",
    "was ist (?:bald|diese woche|als nächstes) fällig",
  ),
  inbox: says(
    "(?:show(?: me)? )?my inbox|what(?:'s| is) new(?: for me)?|(?:do i have )?any(?:thing)? (?:news|unread)",
    "(?:zeige?(?: mir)? )?(?:mein(?:en)? )?posteingang|was gibt es neues(?: für mich)?",
  ),
  changedSince: says(
    "what (?:has )?changed since (?<since>yesterday|today|\\d{4}-\\d{2}-\\d{2})",
    "was hat sich seit (?<since>gestern|heute|\\d{4}-\\d{2}-\\d{2}) geändert",
  ),
  show: says(
    `(?:show|open|read)(?: me)? (?:task )?${CODE}|${CODE.replace("code", "only")}`,
    `(?:zeige?|öffne|lies)(?: mir)? (?:aufgabe )?${CODE}`,
  ),
  summarise: says(`(?:summari[sz]e|sum up) (?:task )?${CODE}`, `fasse? (?:aufgabe )?${CODE} zusammen`),
  move: says(
    `(?:move|set) (?:task )?${CODE} to (?<status>[^.!?]{1,100})`,
    `(?:verschiebe?|setze?) (?:aufgabe )?${CODE} (?:nach|auf|in) (?<status>[^.!?]{1,100})`,
  ),
  assign: says(
    `assign (?:task )?${CODE} to (?<person>[^.!?]{1,100})`,
    `weise? (?:aufgabe )?${CODE} (?:an )?(?<person>[^.!?]{1,100}?) zu`,
  ),
  dueOn: says(
    `set (?:the )?due date of ${CODE} to (?<day>today|tomorrow|\\d{4}-\\d{2}-\\d{2})`,
    `setze? (?:das )?fälligkeitsdatum von ${CODE} auf (?<day>heute|morgen|\\d{4}-\\d{2}-\\d{2})`,
  ),
  create: says(
    `(?:create|add|new) (?:a )?task ["“„]?(?<title>[^"“”„]{1,400}?)["”“]? in ${KEY}`,
    `(?:erstelle?|lege?|neue) (?:eine )?aufgabe ["“„]?(?<title>[^"“”„]{1,400}?)["”“]? in ${KEY}(?: an)?`,
  ),
  comment: [
    new RegExp(`^(?:please )?comment (?:on )?${CODE} ?:(?<markdown>[\\s\\S]+)$`, "iu"),
    new RegExp(`^(?:bitte )?kommentiere? ${CODE} ?:(?<markdown>[\\s\\S]+)$`, "iu"),
  ],
  remind: [
    /^(?:please )?remind me (?!what|who|how|why|when|where|which)(?<rest>[\s\S]{1,700})$/iu,
    /^(?:bitte )?erinnere? mich (?:bitte )?(?!was|wer|wie|warum|wann|wo|welche)(?<rest>[\s\S]{1,700})$/iu,
  ],
  askAgent: [
    /^(?:please )?ask (?:the agent )?(?<agent>[^:,]{1,80}?)(?:[:,]| to )(?<task>[\s\S]+)$/iu,
    /^(?:bitte )?frage? (?:den agenten )?(?<agent>[^:,]{1,80}?)[:,](?<task>[\s\S]+)$/iu,
  ],
} satisfies Record<string, RegExp[]>;
export type Intent = keyof typeof intents;

/** Intents that end with a text of the person's own, which stays verbatim. */
const WITH_TEXT: readonly string[] = ["comment", "remind", "askAgent"] satisfies Intent[];
/** Characters of every other request, and of such a text. */
const [MOST_REQUEST, MOST_TEXT] = [1000, 20_000];

export function understood(words: string): { intent: Intent; said: Record<string, string> } | null {
  const whole = words.trim();
  const request = whole.length > MOST_REQUEST ? null : whole.replace(/\s+/g, " ");
  for (const [intent, patterns] of Object.entries(intents))
    for (const pattern of patterns) {
      const text = WITH_TEXT.includes(intent) ? whole : request;
      const match = text === null ? null : pattern.exec(text);
      if (!match) continue;
      const groups = Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined);
      const said = Object.fromEntries(groups.map(([name, value]) => [name, value.trim()]));
      if (Object.values(said).some((value) => value === "" || value.length > MOST_TEXT)) continue;
      const code = said.code ?? said.only;
      return { intent: intent as Intent, said: { ...said, ...(code && { code: code.toUpperCase() }) } };
    }
  return null;
}

/** Sentences of a Markdown text, without its markup. */
export function sentencesOf(markdown: string): string[] {
  const blocks = [""];
  const lines = markdown
    .slice(0, MOST_READ)
    .replace(/```[\s\S]*?```/g, " ")
    .split("\n");
  for (const line of lines.map((each) => each.trim())) {
    const [marker = ""] = MARKER.exec(line) ?? [];
    if (line === "" || (marker !== "" && !marker.startsWith(">"))) blocks.push("");
    blocks[blocks.length - 1] += ` ${line.slice(marker.length)}`;
  }
  return blocks
    .flatMap((block) => block.replace(/\s+/g, " ").split(/(?<=[.!?]) (?=[\p{Lu}\d"„“(])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 2);
}
/** Characters of a text that are read for sentences: as long as Markdown may be. */
const MOST_READ = 262_144;
const MARKER = /^(?:#{1,6}|[-*+]|\d{1,9}\.|>)\s/;

const STOP = new Set(
  "the a an and or of to in on for is are was were be what how where who which when why do does did my me i you it this that with from about der die das und oder von zu in auf für ist sind war was wie wo wer welche wann warum mein meine ich du es mit aus über ein eine einen den dem des im am".split(
    " ",
  ),
);
export const wordsIn = (text: string): string[] =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [])].filter(
    (word) => word.length > 1 && !STOP.has(word),
  );

/** Sentences that contain most of the words, in their original order. */
export function bestSentences(sentences: readonly string[], words: readonly string[], most: number): string[] {
  const scored = sentences.map((sentence, at) => {
    const lower = sentence.toLowerCase();
    return { sentence, at, score: words.filter((word) => lower.includes(word)).length };
  });
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.at - other.at);
  return best
    .slice(0, most)
    .sort((one, other) => one.at - other.at)
    .map(({ sentence }) => sentence);
}
