// Pages that only say that something was done, and where to go on.
import { Notice, Page } from "../parts.tsx";
import { Link } from "../router.tsx";
import { useSession } from "../session.tsx";

export function Verified() {
  const { session } = useSession();
  return (
    <Page title="Your address is verified">
      <Notice tone="good">Thank you. Should you ever forget your password, we can now send you a link.</Notice>
      <Link to={session.state === "in" ? "/" : "/login"} className="button button-first mt-6">
        {session.state === "in" ? "Continue" : "Sign in"}
      </Link>
    </Page>
  );
}

export function SignedOut() {
  return (
    <Page title="You are signed out" lead="On a shared computer, close the browser too.">
      <Link to="/login" className="button button-first">
        Sign in again
      </Link>
    </Page>
  );
}
