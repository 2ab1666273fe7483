// Values shared by sessions and the socket server. Pure.

/** URL path of the socket endpoint. */
export const COLLABORATION_PATH = "/collaboration";
