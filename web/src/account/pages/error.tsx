// Error page for the code in the address. It shows nothing else of the address, because anybody can craft a link.
import { say } from "../../messages/t.ts";
import { Link, useAddress } from "../../router.tsx";
import { Page } from "../page-elements.tsx";
import { messageOf } from "../problem-messages.ts";

export function ErrorPage() {
  const asked = useAddress().searchParams;
  const { title, text, next } = messageOf(asked.get("code") ?? asked.get("error") ?? "not_found");
  return (
    <Page title={title} lead={text}>
      <div className="space-y-3">
        {next && next.to !== "/" && (
          <Link to={next.to} className="button button-first">
            {next.label}
          </Link>
        )}
        <Link to="/" className={`button ${next && next.to !== "/" ? "button-plain" : "button-first"}`}>
          {say("Home")}
        </Link>
      </div>
    </Page>
  );
}
