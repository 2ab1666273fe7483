// Codes of Integrations: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const integrationErrors = {
  integration_unavailable: entry(
    409,
    "Provider not available",
    "The operator has not registered the service at this provider: the catalogue lists the available ones.",
  ),
  authorization_unsupported: entry(
    409,
    "Authorised in another way",
    "The catalogue states how this provider is authorised, and whether people can link their identity " + "there.",
  ),
  installation_revoked: entry(
    409,
    "No longer connected",
    "The provider has ended the connection; connect it again, or remove it.",
  ),
  management_unavailable: entry(409, "No management page", "The provider has none: manage the connection here."),
  integration_requested: entry(409, "Already requested", "Your request for this provider is still open."),
  delivery_waiting: entry(409, "Still waiting", "The delivery has not been processed yet: there is nothing to replay."),
  delivery_erased: entry(
    409,
    "Content deleted",
    "The content of a delivery is deleted a week after its arrival: it cannot be replayed. Ask the " +
      "provider to send it again.",
  ),
  binding_exists: entry(409, "Already bound", "The Project is bound to this resource already: change that binding."),
  resource_unbound: entry(
    409,
    "Not bound to a Project",
    "No Project that you see is bound to this resource. Bind it to a Project first.",
  ),
  provider_refused: entry(
    422,
    "Refused by the provider",
    "Correct what `errors` points to; its code gives the reason of the provider, or of the connection " + "to it.",
  ),
} as const;
