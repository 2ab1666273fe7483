// Prerequisites of a run: a migrated database and one signed-in owner of a Workspace.
import { insertAccount, insertSession } from "../../server/src/accounts/identity/store.ts";
import { insertWorkspace } from "../../server/src/accounts/workspaces/store.ts";
import { openDatabase } from "../../server/src/platform/database/db.ts";
import { migrate } from "../../server/src/platform/database/start/migrations.ts";
import { csrfTokenOf, newId } from "../../server/src/platform/wire/ids.ts";

export async function makeWorld(databaseUrl: string) {
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl, 2);
  try {
    const [workspaceId, userId, actorId] = [newId(), newId(), newId()];
    const session = await database.writer.use(async (tx) => {
      await tx.begin();
      await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
      const account = { id: userId, email: `${userId}@example.com`, displayName: "Chaos", username: userId };
      await insertAccount(tx, { ...account, passwordHash: null });
      await insertWorkspace(tx, { id: workspaceId, name: "Chaos", slug: `chaos-${userId}`, userId, actorId });
      const secret = await insertSession(tx, userId, workspaceId, true);
      await tx.commit();
      return secret;
    });
    const csrf = csrfTokenOf(session);
    const headers = { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${csrf}`, "x-csrf-token": csrf };
    return { workspaceId, headers };
  } finally {
    await database.end();
  }
}
