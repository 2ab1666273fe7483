// Facts about what an account owns.
import { event } from "../kernel/events.ts";

export const apiTokenCreated = event("api_token.created");
export const apiTokenRevoked = event("api_token.revoked");
