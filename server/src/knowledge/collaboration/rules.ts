// What both the sessions and the service that meets their sockets must know. Pure.

/** Where the sockets are opened. */
export const COLLABORATION_PATH = "/collaboration";
