// German messages of ChangeSets.
export const changes = {
  "shell.changes": "ChangeSets",
  "changes.title": "ChangeSets",
  "changes.open": "Warten auf Sie",
  "changes.decided": "Entschieden",
  "changes.none": "Nichts wartet auf Ihre Entscheidung",
  "changes.noneDecided": "Noch wurde nichts entschieden",
  "changes.noneHelp":
    "Was ein Assistent in Ihrem Namen vorschlägt, erscheint hier. Nichts davon geschieht, bevor Sie es genehmigen.",
  "changes.count.one": "{count} Änderung",
  "changes.count.other": "{count} Änderungen",
  "changes.until": "offen bis {when}",
  "changes.draft": "So nicht durchführbar",
  "changes.proposed": "Wartet auf Ihre Prüfung",
  "changes.approved": "Genehmigt, noch nicht angewendet",
  "changes.rejected": "Abgelehnt",
  "changes.applied": "Angewendet",
  "changes.stale": "Inzwischen überholt",
  "changes.expired": "Abgelaufen",
  "changes.back": "Alle ChangeSets",
};
