// The answer to a request, as the tests read it.
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the shape was checked against the contract when the answer came.
  body: any;
  text: string;
  /** But for the mark of a browser that has signed in. */
  cookies: string[];
  /** That mark, as the browser sends it back, where the answer sets one. */
  device: string | undefined;
  /** Database round-trips that the answer took. */
  trips: number;
}
