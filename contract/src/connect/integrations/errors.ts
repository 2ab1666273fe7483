// Codes of Integrations: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const integrationErrors = {
  integration_unavailable: entry(
    409,
    "Provider not available",
    "The operator has not registered the service at this provider: the catalogue says what is available.",
  ),
  authorization_unsupported: entry(
    409,
    "Authorised in another way",
    "The catalogue says how this provider is authorised, and whether people link who they are there.",
  ),
  installation_revoked: entry(
    409,
    "No longer connected",
    "The provider has ended the connection; connect it again, or remove it.",
  ),
  management_unavailable: entry(409, "No page to manage it", "The provider has none: manage the connection here."),
  integration_requested: entry(409, "Already asked", "Your request for this provider is still open."),
  delivery_waiting: entry(409, "Still waits", "The delivery has not been worked yet: there is nothing to repeat."),
  delivery_erased: entry(
    409,
    "No longer kept",
    "What a delivery said is erased a week after it came: it cannot be worked again. Have the provider send it anew.",
  ),
  binding_exists: entry(409, "Already bound", "The Project is bound to this resource: change that binding."),
  resource_unbound: entry(
    409,
    "Not bound to a Project",
    "No Project that you see is bound to this resource. Bind it to a Project first.",
  ),
  provider_refused: entry(
    422,
    "The provider did not accept it",
    "Correct what `errors` points to; its code says what the provider, or the way to it, refused.",
  ),
} as const;
