// Background jobs of Workspaces.
import type { Background, Jobs } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems } from "../../platform/outside/external-systems.ts";
import { sweepInvitations } from "./invite/invitation-store.ts";
import { workspaceIcons } from "./store.ts";

export const workspaceJobs = (
  { reader, writer }: Pick<Database, "reader" | "writer">,
  outside: ExternalSystems,
): Jobs => ({
  ...workspaceIcons.jobs(reader, outside),
  sweep_invitations: async () => void (await writer.use(sweepInvitations)),
});

export const background: Background = {
  schedule: "59 * * * * sweep_invitations",
  deleting: ["discard_icon"],
  jobs: ({ database, outside }) => workspaceJobs(database, outside),
};
