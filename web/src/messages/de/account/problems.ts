// German error messages, by their English text.
export const problems: Readonly<Record<string, string>> = {
  "An account has one free Workspace. Go on in the one that you have.":
    "Ein Konto hat einen kostenlosen Workspace. Machen Sie in dem weiter, den Sie haben.",
  "An earlier payment is being confirmed": "Eine frühere Zahlung wird noch bestätigt",
  "Ask an owner or an admin of that Workspace to make it active again.":
    "Bitten Sie einen Eigentümer oder Admin jenes Workspace, sie wieder freizugeben.",
  "Check the address and the password and try again. Capital letters count.":
    "Prüfen Sie Adresse und Passwort und versuchen Sie es noch einmal. Großbuchstaben zählen.",
  "Check your connection and try again. If you had pressed a button, look first whether it was done.":
    "Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Wenn Sie eine Taste gedrückt hatten, sehen Sie erst nach, ob es geschehen ist.",
  "Enter the code that your authenticator shows now, or a recovery code that you have not used.":
    "Geben Sie den Code ein, den Ihr Authenticator jetzt zeigt, oder einen unbenutzten Wiederherstellungscode.",
  "In this installation everything is included.": "In dieser Installation ist alles enthalten.",
  "It is done, rejected, expired or replaced by a newer version. Look at the newest one.":
    "Es ist erledigt, abgelehnt, abgelaufen oder durch eine neuere Fassung ersetzt. Sehen Sie sich die neueste an.",
  "It is in the list. Remove it first if you want to make it anew.":
    "Er steht in der Liste. Entfernen Sie ihn erst, wenn Sie ihn neu anlegen wollen.",
  "It may have been removed from your account, or took too long. Try again, or sign in with your password.":
    "Vielleicht wurde er aus Ihrem Konto entfernt, oder es dauerte zu lange. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.",
  "It may have been removed, or you may not see it with this account.":
    "Vielleicht wurde es entfernt, oder Sie sehen es mit diesem Konto nicht.",
  "It was accepted already, withdrawn or replaced by a newer one, or it is for another address. Open the newest mail, or ask the person who invited you for a new one.":
    "Sie wurde schon angenommen, zurückgezogen oder durch eine neuere ersetzt, oder sie gilt für eine andere Adresse. Öffnen Sie die neueste E-Mail, oder bitten Sie die Person, die Sie eingeladen hat, um eine neue.",
  "It was good for seven days. Ask the person who invited you to send it again.":
    "Sie galt sieben Tage. Bitten Sie die Person, die Sie eingeladen hat, sie noch einmal zu senden.",
  "It was used already, has expired or was replaced by a newer one. Ask for a new one and open the newest mail.":
    "Er wurde schon benutzt, ist abgelaufen oder wurde durch einen neueren ersetzt. Fordern Sie einen neuen an und öffnen Sie die neueste E-Mail.",
  "Look among your Workspaces in a few seconds.": "Sehen Sie in ein paar Sekunden bei Ihren Workspaces nach.",
  "Nothing is sold here": "Hier wird nichts verkauft",
  "Nothing was changed. Reload the page to see how it is now.":
    "Nichts wurde geändert. Laden Sie die Seite neu, um zu sehen, wie es jetzt ist.",
  "Nothing was changed. Try again and confirm it, or sign in again and you come back here.":
    "Nichts wurde geändert. Versuchen Sie es noch einmal und bestätigen Sie es, oder melden Sie sich neu an: Sie kommen dann hierher zurück.",
  "Nothing was paid. Please try again in a moment.": "Es wurde nichts bezahlt. Versuchen Sie es gleich noch einmal.",
  "Reload the page and look at it again. Nothing was changed.":
    "Laden Sie die Seite neu und sehen Sie es sich noch einmal an. Nichts wurde geändert.",
  "Reload the page to see how it is now, then try again.":
    "Laden Sie die Seite neu, um zu sehen, wie es jetzt ist, und versuchen Sie es dann noch einmal.",
  "Remove it first if you want to set up another authenticator.":
    "Entfernen Sie ihn erst, wenn Sie einen anderen Authenticator einrichten wollen.",
  "Set a password or add another passkey before you remove this one, or you could not get in any more.":
    "Setzen Sie ein Passwort oder fügen Sie einen anderen Passkey hinzu, bevor Sie diesen entfernen, sonst kommen Sie nicht mehr hinein.",
  "Set one with a link that we send you by mail.": "Setzen Sie eines mit einem Link, den wir Ihnen per E-Mail senden.",
  "So nothing was changed. Ask for a new version without it.":
    "Darum wurde nichts geändert. Bitten Sie um eine neue Fassung ohne ihn.",
  "Somebody added you to one in the meantime.": "Jemand hat Sie inzwischen zu einem hinzugefügt.",
  "That code did not match. Enter the six digits that your authenticator shows now. If it stays wrong, check the clock of your phone.":
    "Dieser Code passte nicht. Geben Sie die sechs Ziffern ein, die Ihr Authenticator jetzt zeigt. Bleibt es falsch, prüfen Sie die Uhr Ihres Telefons.",
  "The payment provider does not answer": "Der Zahlungsanbieter antwortet nicht",
  "The provider did not confirm who you are, or it took too long. Please try again, or sign in another way.":
    "Der Anbieter hat nicht bestätigt, wer Sie sind, oder es dauerte zu lange. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
  "The second step has expired or failed too often. Your password is needed once more.":
    "Der zweite Schritt ist abgelaufen oder zu oft misslungen. Ihr Passwort wird noch einmal gebraucht.",
  "This address has an account already. Sign in with it, or use another address.":
    "Diese Adresse hat schon ein Konto. Melden Sie sich damit an, oder nehmen Sie eine andere Adresse.",
  "This address is taken or reserved. Choose another one.": "Diese Adresse ist vergeben. Wählen Sie eine andere.",
  "This password is in a list of stolen ones, or is your own address. Anybody could try it: choose another one.":
    "Dieses Passwort steht in einer Liste gestohlener, oder es ist Ihre Adresse. Jeder könnte es versuchen: Wählen Sie ein anderes.",
  "This sign-in belongs to another account already. Remove it there first.":
    "Diese Anmeldung gehört schon zu einem anderen Konto. Entfernen Sie sie erst dort.",
  "We did not send you there. Be careful: if you do not know the application, close this page.":
    "Wir haben Sie nicht dorthin geschickt. Seien Sie vorsichtig: Wenn Sie die Anwendung nicht kennen, schließen Sie diese Seite.",
  "What it builds on has changed since it was proposed, so nothing was changed. Ask for a new version.":
    "Worauf es aufbaut, hat sich seit dem Vorschlag geändert, darum wurde nichts geändert. Bitten Sie um eine neue Fassung.",
  "You are signed in with another one. Sign out, then sign in or create an account with the address to which the mail was sent.":
    "Sie sind mit einer anderen angemeldet. Melden Sie sich ab, und dann mit der Adresse an, an die die E-Mail ging, oder legen Sie mit ihr ein Konto an.",
  "You cannot see everything that it rests on any more, so it cannot be decided. Ask for a new version.":
    "Sie sehen nicht mehr alles, worauf es sich stützt, darum kann es nicht entschieden werden. Bitten Sie um eine neue Fassung.",
  "You may have been removed from it. Choose another one.":
    "Vielleicht wurden Sie daraus entfernt. Wählen Sie einen anderen.",
  "Your account has a second factor since a moment ago. Try again, and enter its code.":
    "Ihr Konto hat seit eben einen zweiten Faktor. Versuchen Sie es noch einmal, und geben Sie seinen Code ein.",
  "Your device did not complete it. Try again, or sign in with your password.":
    "Ihr Gerät hat es nicht zu Ende gebracht. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.",
  "A part of it cannot be done": "Ein Teil davon geht nicht",
  "Approve it first. Nothing was changed.": "Genehmigen Sie es erst. Nichts wurde geändert.",
  "Check your connection and try again. Nothing was changed.":
    "Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Nichts wurde geändert.",
  "Get a link": "Link anfordern",
  "Get a new link": "Neuen Link anfordern",
  "Go back to the application and start again. If it stays, tell the people who make it.":
    "Gehen Sie zurück zur Anwendung und beginnen Sie von vorn. Bleibt es so, sagen Sie es denen, die sie herstellen.",
  "It cannot be decided any more": "Es kann nicht mehr entschieden werden",
  "It is not approved": "Es ist nicht genehmigt",
  "It is taken back already": "Es ist schon zurückgenommen",
  "It was changed in the meantime": "Es wurde inzwischen geändert",
  "It was not your doing. Please try again in a moment.":
    "Es lag nicht an Ihnen. Bitte versuchen Sie es gleich noch einmal.",
  "Its evidence cannot be read": "Seine Belege sind nicht lesbar",
  "Linked to another account": "Mit einem anderen Konto verknüpft",
  "Make the change by hand. Nothing was changed.": "Nehmen Sie die Änderung von Hand vor. Nichts wurde geändert.",
  "Nothing was changed.": "Nichts wurde geändert.",
  "Please check what you entered": "Bitte prüfen Sie Ihre Eingabe",
  "Please choose another password": "Bitte wählen Sie ein anderes Passwort",
  "Please enter less.": "Bitte geben Sie weniger ein.",
  "Please sign in again": "Bitte melden Sie sich noch einmal an",
  "Please start again": "Bitte beginnen Sie von vorn",
  "Reload the page and try again. Nothing was changed.":
    "Laden Sie die Seite neu und versuchen Sie es noch einmal. Nichts wurde geändert.",
  "Remove one that you no longer use first.": "Entfernen Sie erst einen, den Sie nicht mehr benutzen.",
  "Set one up first.": "Richten Sie erst einen ein.",
  "Signing in did not work": "Die Anmeldung hat nicht geklappt",
  "Some of it is not in the form that we can take.": "Etwas davon hat nicht die Form, die wir annehmen können.",
  "Something went wrong on our side": "Bei uns ist etwas schiefgegangen",
  "Still working on it": "Wir arbeiten noch daran",
  "That code did not match": "Dieser Code passte nicht",
  "That did not match": "Das passte nicht",
  "That is too long": "Das ist zu lang",
  "That took too long": "Das dauerte zu lange",
  "The application asked in a way we cannot accept": "Die Anwendung hat auf eine Weise gefragt, die wir nicht annehmen",
  "The application asked to send you to an address that it has not registered":
    "Die Anwendung wollte Sie an eine Adresse schicken, die sie nicht angemeldet hat",
  "The passkey could not be used": "Der Passkey konnte nicht benutzt werden",
  "The second factor is on already": "Der zweite Faktor ist schon eingeschaltet",
  "The service is back soon. Nothing was changed.": "Der Dienst ist bald zurück. Nichts wurde geändert.",
  "The Workspace is full": "Der Workspace ist voll",
  "Its plan gives no more seats. Ask one of its owners or admins for one.":
    "Sein Tarif gibt keine weiteren Plätze. Fragen Sie jemanden, der ihn verwaltet.",
  "There is no room for another one": "Es ist kein Platz für einen weiteren",
  "There is no second factor": "Es gibt keinen zweiten Faktor",
  "There is no way back from it": "Davon führt kein Weg zurück",
  "This address has an account already": "Diese Adresse hat schon ein Konto",
  "This address is taken": "Diese Adresse ist vergeben",
  "This device has a passkey already": "Dieses Gerät hat schon einen Passkey",
  "This does not exist": "Das gibt es nicht",
  "This invitation does not work": "Diese Einladung gilt nicht",
  "This invitation has expired": "Diese Einladung ist abgelaufen",
  "This invitation is for another address": "Diese Einladung gilt für eine andere Adresse",
  "This is not what was shown": "Das ist nicht, was gezeigt wurde",
  "This is your last way to sign in": "Das ist Ihr letzter Weg, sich anzumelden",
  "This link does not work any more": "Dieser Link gilt nicht mehr",
  "This page is out of date": "Diese Seite ist veraltet",
  "This protects your account from guessing.": "Das schützt Ihr Konto vor dem Erraten.",
  "The sign-in provider does not answer": "Der Anbieter der Anmeldung antwortet nicht",
  "Too many attempts": "Zu viele Versuche",
  "We are doing maintenance": "Wir warten den Dienst gerade",
  "We are very busy just now": "Gerade ist sehr viel los",
  "We cannot reach the service": "Der Dienst ist nicht erreichbar",
  "We cannot send mail just now": "Wir können gerade keine E-Mails senden",
  "We did not confirm that it is you": "Wir haben nicht bestätigt, dass Sie es sind",
  "We do not know this passkey": "Wir kennen diesen Passkey nicht",
  "What it made is not so any more, so nothing was taken back.":
    "Was es bewirkt hat, ist nicht mehr so, darum wurde nichts zurückgenommen.",
  "You can see it, but your role does not allow this change.":
    "Sie sehen es, aber Ihre Rolle erlaubt diese Änderung nicht.",
  "You do not belong to that Workspace": "Sie gehören nicht zu jenem Workspace",
  "You have a Workspace already": "Sie haben schon einen Workspace",
  "You have your free Workspace already": "Sie haben Ihren kostenlosen Workspace schon",
  "You may not change this": "Sie dürfen das nicht ändern",
  "Your Workspaces": "Ihre Workspaces",
  "Your account has no password": "Ihr Konto hat kein Passwort",
  "Your code is needed": "Ihr Code wird gebraucht",
  "Your first click is still being handled.": "Ihr erster Klick wird noch bearbeitet.",
  "Your membership is suspended": "Ihre Mitgliedschaft ist gesperrt",
  "Your session has ended. Sign in and you can go on where you were.":
    "Ihre Sitzung ist beendet. Melden Sie sich an, dann machen Sie weiter, wo Sie waren.",
};
