// What a sealed credential is bound to: it opens for this Workspace only. Pure.

export const sealedFor = (workspaceId: string) => `knowledge repository of ${workspaceId}`;
