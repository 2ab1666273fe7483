// Fixed texts of answers, in English and German. Pure.
const moment = (locale: string, due: string, timeZone: string) =>
  `${new Intl.DateTimeFormat(locale, { timeZone, dateStyle: "full", timeStyle: "short" }).format(new Date(due))} ` +
  `(${timeZone})`;
const en = {
  overdue: "Overdue:",
  assigned: "Assigned to you:",
  dueSoon: "Due soon:",
  inbox: "Not read yet:",
  changed: (since: string) => `Changed since ${since}:`,
  none: "There is none.",
  more: "There are more.",
  found: "This is what stands in your Workspace:",
  inFiles: "This is what stands in what you sent:",
  noTextInFiles: "I can read text, Word and PDF files, and found no text in what you sent.",
  nothing: "I found nothing about that in what you can read.",
  sentences: (of: string) => `From ${of}:`,
  noSentences: "It says nothing more than its title.",
  proposed: (title: string) => `Nothing has changed yet. "${title}" waits for your approval.`,
  done: (title: string) => `Done: ${title}.`,
  refused: (why: string) => `That was not done. ${why}`,
  which: "Which one do you mean?",
  applied: (title: string) => `Done as you approved it: ${title}.`,
  notApplied: (why: string) => `Nothing was changed. ${why}`,
  overtaken: "Nothing was changed: something came in between.",
  movedOn: "What it builds on has changed. Shall it be proposed again, on what is there now?",
  proposeAgain: "Propose it again",
  retryQuestion: "Shall it be tried again?",
  retry: "Try again",
  leave: "Leave it",
  due: "due",
  approve: "Approve",
  reject: "Reject",
  create: (title: string) => `Create "${title}"`,
  change: (code: string) => `Change ${code}`,
  comment: (code: string) => `Comment on ${code}`,
  remind: (when: string, text: string) => `Remind you on ${when}: ${text}`,
  reminded: (when: string, text: string) => `I will remind you on ${when}: ${text}`,
  noReminder: "I did not understand when. Say it like this: remind me tomorrow at 9 to call Grace.",
  at: (due: string, zone: string) => moment("en-GB", due, zone),
  cutOff: "(The answer was cut off because it reached its length limit. Ask me to go on.)",
  noWords: "The model ended without an answer. Ask again, or in other words.",
  alreadyApplied: "Nothing was changed: it was applied already.",
  alreadyRejected: "Nothing was changed: you rejected it before.",
  hasChanged: (what: string) => `Nothing was changed: ${what} has changed since this was proposed.`,
  fieldChanged: (field: string, before: string, after: string) => `- ${field}: ${before} → ${after}`,
  nothingThere: "nothing",
  proposedAgain: (title: string) => `"${title}" is proposed again on what is there now, and waits for your approval.`,
  handedOver: (name: string) => `${name} is at work on it. What it finds arrives here as a message of its own.`,
};
const de: typeof en = {
  overdue: "Überfällig:",
  assigned: "Dir zugewiesen:",
  dueSoon: "Bald fällig:",
  inbox: "Noch nicht gelesen:",
  changed: (since) => `Geändert seit ${since}:`,
  none: "Es gibt nichts.",
  more: "Es gibt noch mehr.",
  found: "Das steht in deinem Workspace:",
  inFiles: "Das steht in dem, was du geschickt hast:",
  noTextInFiles:
    "Ich kann Text, Word- und PDF-Dateien lesen und habe in dem, was du geschickt hast, keinen Text gefunden.",
  nothing: "Dazu habe ich in dem, was du lesen kannst, nichts gefunden.",
  sentences: (of) => `Aus ${of}:`,
  noSentences: "Mehr als der Titel steht dort nicht.",
  proposed: (title) => `Noch ist nichts geändert. „${title}“ wartet auf deine Zustimmung.`,
  done: (title) => `Erledigt: ${title}.`,
  refused: (why) => `Das wurde nicht gemacht. ${why}`,
  which: "Welche meinst du?",
  applied: (title) => `Wie von dir gebilligt erledigt: ${title}.`,
  notApplied: (why) => `Es wurde nichts geändert. ${why}`,
  overtaken: "Es wurde nichts geändert: etwas kam dazwischen.",
  movedOn: "Worauf es beruht, hat sich geändert. Soll es auf dem jetzigen Stand neu vorgeschlagen werden?",
  proposeAgain: "Neu vorschlagen",
  retryQuestion: "Soll es noch einmal versucht werden?",
  retry: "Noch einmal versuchen",
  leave: "Lassen",
  due: "fällig",
  approve: "Zustimmen",
  reject: "Ablehnen",
  create: (title) => `„${title}“ erstellen`,
  change: (code) => `${code} ändern`,
  comment: (code) => `${code} kommentieren`,
  remind: (when, text) => `Dich am ${when} erinnern: ${text}`,
  reminded: (when, text) => `Ich erinnere dich am ${when}: ${text}`,
  noReminder: "Wann, habe ich nicht verstanden. Sag es so: Erinnere mich morgen um 9 an den Anruf.",
  at: (due, zone) => moment("de-DE", due, zone),
  cutOff: "(Die Antwort wurde abgeschnitten, weil sie ihre Länge erreicht hat. Bitte mich weiterzumachen.)",
  noWords: "Das Modell hat ohne Antwort geendet. Frag noch einmal, oder mit anderen Worten.",
  alreadyApplied: "Es wurde nichts geändert: Es war schon angewendet.",
  alreadyRejected: "Es wurde nichts geändert: Du hast es schon abgelehnt.",
  hasChanged: (what) => `Es wurde nichts geändert: ${what} hat sich seit dem Vorschlag geändert.`,
  fieldChanged: (field, before, after) => `- ${field}: ${before} → ${after}`,
  nothingThere: "nichts",
  proposedAgain: (title) => `„${title}“ ist auf dem jetzigen Stand neu vorgeschlagen und wartet auf deine Zustimmung.`,
  handedOver: (name) => `${name} arbeitet daran. Was dabei herauskommt, kommt hier als eigene Nachricht an.`,
};
export type DiscussTexts = typeof en;

const GERMAN =
  /\b(?:der|die|das|und|ist|sind|was|wie|wo|wer|welche|meine|mein|zeige?|fasse|erstelle|kommentiere|verschiebe|weise|seit|gestern|heute|morgen|überfällig\w*|aufgaben?|bitte|nach|auf|nicht|ein|eine|mir|mich|starte|beende|setze|erinnere|um|am|uhr)\b/giu;
const ENGLISH =
  /\b(?:the|and|is|are|what|how|where|who|which|my|show|summari[sz]e|create|comment|move|assign|since|yesterday|today|tomorrow|overdue|tasks?|please|to|on|not|an?|me|start|finish|set|remind|at)\b/gi;
const named = (locale: string) => (locale.toLowerCase().startsWith("de") ? "de" : "en");
/** The requested language, else that of the words, else that of the account. */
export function languageOf(locale: string | undefined, words: string, account: string): "en" | "de" {
  if (locale !== undefined) return named(locale);
  const [german, english] = [GERMAN, ENGLISH].map((known) => words.match(known)?.length ?? 0) as [number, number];
  return german === english ? named(account) : german > english ? "de" : "en";
}
export const textsIn = (language: "en" | "de") => ({ en, de })[language];
