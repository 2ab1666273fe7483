// Registration. The account works at once, and its address is verified later by mail. An invitation proves the address,
// so an invited visitor joins the Workspace at once.

import { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { go, Link, useAddress } from "../../router.tsx";
import { emailFault, Field, Form, type FormValues } from "../form.tsx";
import { Button, Loading, Notice, Or, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { enter, returnToOf } from "../sign-in/finish-sign-in.ts";
import { dropFragment, keptFragment } from "../sign-in/fragment.ts";
import { OfferText, useOffer } from "../sign-in/invitation-offer.tsx";
import { NewPasswordField } from "../sign-in/new-password.tsx";
import { offers } from "../sign-in/offers.ts";
import { passwordFault } from "../sign-in/password-rules.ts";
import { Providers } from "../sign-in/providers.tsx";
import { withReturnTo } from "../sign-in/return-to.ts";
import { svc } from "../svc.ts";

export function Register() {
  const { set } = useSession();
  const returnTo = returnToOf(useAddress());
  const invitation = returnTo === "/invitation" ? keptFragment(returnTo).token : undefined;
  const { offer } = useOffer(invitation);
  const [refused, setRefused] = useState(false);
  async function send({ display_name = "", email = "", password = "" }: FormValues) {
    const body = { display_name: display_name.trim(), email: email.trim(), password, invitation_token: invitation };
    try {
      const account = await svc.register(body);
      if (invitation) dropFragment("/invitation");
      enter(account, { returnTo: invitation ? null : returnTo, remember: true, set });
    } catch (error) {
      setRefused((error as Problem).code === "invalid_invitation");
      throw error;
    }
  }
  function goOnWithout() {
    dropFragment("/invitation");
    setRefused(false);
    go("/register", { replace: true });
  }
  if (invitation && offer === null)
    return (
      <Page title={say("Create an account")}>
        <Loading lines={8} />
      </Page>
    );
  return (
    <Page title={say("Create an account")}>
      {invitation && !refused && (
        <div className="mb-6">
          <Notice title={say("You are invited")}>
            {offer === null || offer instanceof Problem ? (
              say("Use the address to which the invitation was sent.")
            ) : (
              <OfferText offer={offer} />
            )}
          </Notice>
        </div>
      )}
      <Form
        action={say("Create account")}
        working={say("Creating your account …")}
        label={say("Create an account")}
        check={({ display_name, email, password = "" }) => ({
          display_name: display_name?.trim() ? null : say("Enter the name that others see."),
          email: emailFault(email),
          password: passwordFault(password),
        })}
        send={send}
        more={refused && <Button onClick={goOnWithout}>{say("Go on without the invitation")}</Button>}
      >
        <Field name="display_name" label={say("Your name")} autoComplete="name" maxLength={100} />
        <Field
          name="email"
          label={say("Email")}
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
            <Providers />
          </div>
        </>
      )}
      <p className="mt-6 text-center text-soft">
        {say("Already have an account?")} <Link to={withReturnTo("/login", returnTo)}>{say("Sign in")}</Link>
      </p>
    </Page>
  );
}
