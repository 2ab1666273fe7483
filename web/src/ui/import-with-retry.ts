// Imports a file that the page can do without until it arrives, and retries while there is no connection. Some browsers, Chromium 153 among
// them, never request a module again that failed once: each retry uses an address of its own.
const RETRY_MS = 5000;

/** The address of the file, which Chromium and Firefox name in the error's message. */
const addressIn = (error: unknown) =>
  String(error)
    .split(" ")
    .find((word) => word.startsWith(location.origin) && word.endsWith(".js"));

export async function importWithRetry<File>(load: () => Promise<File>): Promise<File> {
  let attempt = load;
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      const address = addressIn(error);
      if (address) attempt = () => import(/* @vite-ignore */ `${address}?retry=${retry}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
