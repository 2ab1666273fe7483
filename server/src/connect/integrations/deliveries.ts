// Lists the deliveries of an installation, and replays one on request.
import * as contract from "@svc/contract/connect/integrations/deliveries.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { lettingThrough } from "../../platform/wire/input/value-filter.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { delivery, managedInstallation } from "./access.ts";
import { listDeliveries, replay } from "./receive/delivery-log.ts";
import { wake } from "./receive/delivery-store.ts";

export const listIntegrationDeliveries = implementList(
  contract.listIntegrationDeliveries,
  managedInstallation,
  (tx, { params, query: { state }, page }) =>
    listDeliveries(tx, params.installation_id, lettingThrough(state, contract.deliveryStates), page),
);

export const replayIntegrationDelivery = implement(
  contract.replayIntegrationDelivery,
  delivery,
  async ({ tx, defer }, { target: { id, state, is_kept, is_revoked } }) => {
    if (is_revoked) return refuse("installation_revoked");
    if (state === "waiting") return refuse("delivery_waiting");
    if (!is_kept) return refuse("delivery_erased");
    const row = await replay(tx, id);
    defer(wake(tx));
    return render(row, []);
  },
);
