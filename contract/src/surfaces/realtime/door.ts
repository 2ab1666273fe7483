// The operation that opens a socket. frames.ts declares the frames.
import { C, M, op, S } from "../../kit.ts";
import { PROTOCOL } from "./limits.ts";

export const openRealtime = op("GET /realtime", "Open a realtime socket", {
  description:
    `Opens a WebSocket with the protocol ${PROTOCOL}; /api/v1/asyncapi.json describes its frames. ` +
    "Requests are refused before the upgrade, with a problem document. A browser sends its session's " +
    "cookie and the Origin of this service, and no Authorization. A native client sends its token, and " +
    "the Workspace in X-Svc-Workspace-ID, or no Workspace for account and account_security alone. An " +
    "IDE (svc-ide-a, svc-ide-b) sends a token with svc:read; its grant has the Workspace, and it " +
    "follows workspace, projects and task_comments. With a token neither Origin nor Cookie may be " +
    "sent. The operation has no query.",
  auth: [S, M, C],
  stage: "upcoming",
  socket: PROTOCOL,
  workspaceHeader: true,
  errors: ["workspace_access_denied"],
});
