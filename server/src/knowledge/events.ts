// Facts about Knowledge.
import { event } from "../kernel/events.ts";

export const knowledgeSettingsUpdated = event("workspace.knowledge_settings_updated");
