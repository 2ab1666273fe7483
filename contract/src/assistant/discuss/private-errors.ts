// Codes of a member's private data in Discuss: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const privateErrors = {
  reminder_closed: entry(409, "Reminder is closed", "It was completed or cancelled, and stays so; set a new one."),
  file_not_clean: entry(
    409,
    "File not clean",
    "The scanner has not checked it yet, or did not pass it: see `scan_state`; wait, or delete it.",
  ),
  voice_busy: entry(409, "Somebody is talking", "One voice session is served at a time: try again when it has ended."),
  voice_unavailable: entry(
    503,
    "No voice here",
    "The voice process is not installed: write instead, or ask the operator.",
  ),
} as const;
