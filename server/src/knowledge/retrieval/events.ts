// Events of Knowledge.
import { event } from "../../platform/kernel/events.ts";

export const knowledgeSettingsUpdated = event("workspace.knowledge_settings_updated");
