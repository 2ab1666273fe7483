// Where mail goes on a service without a mail server, said only to a browser on the same machine: nobody else can open it.
import { say } from "./messages/t.ts";
import { offers } from "./offers.ts";

export function OutboxHint() {
  if (!offers.outbox || !/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return null;
  return (
    <p className="mt-4 text-soft">
      {say("This service has no mail server yet: its mail is in the")}{" "}
      <a className="link" href="/dev/mail">
        {say("outbox")}
      </a>
      .
    </p>
  );
}
