// Frames of the realtime socket, as types of the contract.
export type { RealtimeChange, Scope, ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
