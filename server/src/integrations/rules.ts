// How the secrets of a connection are sealed. Pure.

/** What the secret that its deliveries are signed with is sealed for. */
export const signingRow = (installationId: string) => `integration secret ${installationId}`;
