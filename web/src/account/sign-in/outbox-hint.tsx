// Hint for an installation without a mail server, shown only on a loopback address: its mail is in the outbox, which
// needs the printed key.
import { say } from "../../messages/t.ts";
import { offers } from "./offers.ts";

export function OutboxHint() {
  if (!offers.outbox || !/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return null;
  return (
    <p className="mt-4 text-soft">
      {say("This service has no mail server yet. Open the mail address that it printed when it started, or the")}{" "}
      <a className="link" href="/dev/mail">
        {say("outbox")}
      </a>
      .
    </p>
  );
}
