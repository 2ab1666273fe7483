// Fixed texts of Agents, in English and German. Pure.
const en = {
  due: (date: unknown) => `due ${date}`,
  done: "Done",
  inProgress: "In progress",
  dueNext: "Due next",
  nothingChanged: "Nothing changed, and nothing is due.",
  overdue: (assignee: unknown, date: unknown) =>
    `@${assignee} This was due on ${date}. Would another date be better, or is something in the way?`,
  askedAbout: "Asked about",
  nothingOverdue: "Nothing is overdue that was not asked about within a week.",
  releaseNotes: "Release notes (draft)",
  nothingCompleted: "Nothing was completed within 14 days.",
  notesIn: (places: readonly string[]) => `Release notes of what was completed within 14 days: ${places.join(", ")}.`,
  whichTask: "Tell me which Task to look at.",
  unreadable: (code: string) => `I cannot read ${code}.`,
  isItTheSame: (code: unknown) => `${code} has the same words in its title. Is it the same?`,
  labels: (labels: readonly string[]) => `Labels that stand in its text: ${labels.join(", ")}.`,
  noLabel: "No label of the Project stands in its text.",
  same: (code: unknown) => `${code} has the same words in its title.`,
  noSame: "No other Task has the same words in its title.",
  fromNotes: "From the notes",
  nothingToDo: "No line of the notes is marked as something to do (`- [ ]` or TODO).",
  cutOff: "(The text was cut off because it reached its length limit.)",
  noWords: "The model ended without a text.",
  changedSince: (what: string) => `${what} has changed since this was proposed:`,
  proposedAgain: (what: string) => `${what} has changed since you were asked. The change is proposed again.`,
};
const de: typeof en = {
  due: (date) => `fällig ${date}`,
  done: "Erledigt",
  inProgress: "In Arbeit",
  dueNext: "Als Nächstes fällig",
  nothingChanged: "Nichts hat sich geändert, und nichts ist fällig.",
  overdue: (assignee, date) =>
    `@${assignee} Das war am ${date} fällig. Wäre ein anderes Datum besser, oder steht etwas im Weg?`,
  askedAbout: "Nachgefragt wurde nach",
  nothingOverdue: "Nichts ist überfällig, wonach nicht binnen einer Woche gefragt wurde.",
  releaseNotes: "Versionshinweise (Entwurf)",
  nothingCompleted: "In 14 Tagen wurde nichts abgeschlossen.",
  notesIn: (places) => `Versionshinweise zu dem, was in 14 Tagen abgeschlossen wurde: ${places.join(", ")}.`,
  whichTask: "Sag mir, welche Aufgabe ich ansehen soll.",
  unreadable: (code) => `Ich kann ${code} nicht lesen.`,
  isItTheSame: (code) => `${code} hat dieselben Wörter im Titel. Ist es dasselbe?`,
  labels: (labels) => `Labels, die in ihrem Text stehen: ${labels.join(", ")}.`,
  noLabel: "Kein Label des Projekts steht in ihrem Text.",
  same: (code) => `${code} hat dieselben Wörter im Titel.`,
  noSame: "Keine andere Aufgabe hat dieselben Wörter im Titel.",
  fromNotes: "Aus den Notizen",
  nothingToDo: "Keine Zeile der Notizen ist als etwas zu Tun markiert (`- [ ]` oder TODO).",
  cutOff: "(Der Text wurde abgeschnitten, weil er seine Länge erreicht hat.)",
  noWords: "Das Modell hat ohne Text geendet.",
  changedSince: (what) => `${what} hat sich seit dem Vorschlag geändert:`,
  proposedAgain: (what) => `${what} hat sich geändert, seit du gefragt wurdest. Die Änderung ist neu vorgeschlagen.`,
};
export type AgentTexts = typeof en;
/** Texts in the language of the initiator's account. */
export const textsFor = ({ locale }: { locale: string }): AgentTexts =>
  locale.toLowerCase().startsWith("de") ? de : en;
