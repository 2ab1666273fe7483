// Create an account. The address is verified later, by mail; the account works at once.
import { call } from "../api.ts";
import { enter, returnToOf } from "../enter.ts";
import { emailFault, Field, Form, type Values } from "../form.tsx";
import { NewPasswordField } from "../new-password.tsx";
import { offers } from "../offers.ts";
import { Or, Page } from "../parts.tsx";
import { passwordFault } from "../password-rules.ts";
import { Providers } from "../providers.tsx";
import { withReturnTo } from "../return-to.ts";
import { Link, useAddress } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";

export function Register() {
  const { set } = useSession();
  const returnTo = returnToOf(useAddress());
  async function send({ display_name = "", email = "", password = "" }: Values) {
    const body = { display_name: display_name.trim(), email: email.trim(), password };
    enter(await call<Account>("POST", "/auth/register", body), { returnTo, remember: true, set });
  }
  return (
    <Page title="Create an account">
      <Form
        action="Create account"
        working="Creating your account …"
        label="Create an account"
        check={({ display_name, email, password = "" }) => ({
          display_name: display_name?.trim() ? null : "Enter the name that others see.",
          email: emailFault(email),
          password: passwordFault(password),
        })}
        send={send}
      >
        <Field name="display_name" label="Your name" autoComplete="name" maxLength={100} />
        <Field
          name="email"
          label="Email"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
        />
        <NewPasswordField />
      </Form>
      {offers.providers.length > 0 && (
        <>
          <Or />
          <div className="space-y-3">
            <Providers verb="Continue" />
          </div>
        </>
      )}
      <p className="mt-6 text-center text-soft">
        Already have an account? <Link to={withReturnTo("/login", returnTo)}>Sign in</Link>
      </p>
    </Page>
  );
}
