// The words of answers that no model makes, in English and German. Pure.
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
  noTextInFiles: "I can read text and Word files, and found no text in what you sent.",
  nothing: "I found nothing about that in what you can read.",
  sentences: (of: string) => `From ${of}:`,
  noSentences: "It says nothing more than its title.",
  proposed: (title: string) => `Nothing has changed yet. "${title}" waits for your approval.`,
  done: (title: string) => `Done: ${title}.`,
  refused: (why: string) => `That was not done. ${why}`,
  which: "Which one do you mean?",
  applied: (title: string) => `Done as you approved it: ${title}.`,
  notApplied: (why: string) => `Nothing was changed. ${why}`,
  movedOn: "What it builds on has changed. Shall it be proposed again, on what is there now?",
  proposeAgain: "Propose it again",
  retryQuestion: "Shall it be tried again?",
  retry: "Try again",
  leave: "Leave it",
  due: "due",
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
  noTextInFiles: "Ich kann Text und Word-Dateien lesen und habe in dem, was du geschickt hast, keinen Text gefunden.",
  nothing: "Dazu habe ich in dem, was du lesen kannst, nichts gefunden.",
  sentences: (of) => `Aus ${of}:`,
  noSentences: "Mehr als der Titel steht dort nicht.",
  proposed: (title) => `Noch ist nichts geändert. „${title}“ wartet auf deine Zustimmung.`,
  done: (title) => `Erledigt: ${title}.`,
  refused: (why) => `Das wurde nicht gemacht. ${why}`,
  which: "Welche meinst du?",
  applied: (title) => `Wie von dir gebilligt erledigt: ${title}.`,
  notApplied: (why) => `Es wurde nichts geändert. ${why}`,
  movedOn: "Worauf es beruht, hat sich geändert. Soll es auf dem jetzigen Stand neu vorgeschlagen werden?",
  proposeAgain: "Neu vorschlagen",
  retryQuestion: "Soll es noch einmal versucht werden?",
  retry: "Noch einmal versuchen",
  leave: "Lassen",
  due: "fällig",
};
export type Texts = typeof en;

const GERMAN =
  /\b(?:der|die|das|und|ist|sind|was|wie|wo|wer|welche|meine|mein|zeige?|fasse|erstelle|kommentiere|verschiebe|weise|seit|gestern|heute|morgen|überfällig\w*|aufgaben?|bitte|nach|auf|nicht|ein|eine|mir|starte|beende|setze)\b/giu;
const ENGLISH =
  /\b(?:the|and|is|are|what|how|where|who|which|my|show|summari[sz]e|create|comment|move|assign|since|yesterday|today|tomorrow|overdue|tasks?|please|to|on|not|an?|me|start|finish|set)\b/gi;
/** The one that was asked for, or the one of the words. */
export function languageOf(locale: string | undefined, words: string): "en" | "de" {
  if (locale !== undefined) return locale.toLowerCase().startsWith("de") ? "de" : "en";
  return (words.match(GERMAN)?.length ?? 0) > (words.match(ENGLISH)?.length ?? 0) ? "de" : "en";
}
export const textsIn = (language: "en" | "de") => ({ en, de })[language];
