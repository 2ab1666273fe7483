// Context that a sealed credential is bound to: it can be opened for this Workspace only. Pure.

export const sealedFor = (workspaceId: string) => `knowledge repository of ${workspaceId}`;
