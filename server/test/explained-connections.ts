// The lists of what a Workspace is connected with, which are for those who manage it.

/** The log is that of the endpoint with the Project's id (many-rows.ts). */
export const connectionLists = (workspaceId: string, endpointId: string) => ({
  listKnowledgeRepositoryRuns: [`/workspaces/${workspaceId}/knowledge-repository/runs`],
  listKnowledgeRepositoryConflicts: [`/workspaces/${workspaceId}/knowledge-repository/conflicts`],
  listWebhookEndpoints: [`/workspaces/${workspaceId}/webhook-endpoints`],
  listWebhookDeliveries: ["", "?state=failed"].map((query) => `/webhook-endpoints/${endpointId}/deliveries${query}`),
});
