// Prometheus metrics. Labels are operation, status class and credential kind: nothing that a caller can invent.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    seconds: new Histogram({
      name: "svc_request_seconds",
      help: "Time to answer, by operation and status.",
      labelNames: ["operation", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    trips: new Counter({
      name: "svc_database_round_trips_total",
      help: "Database round-trips.",
      labelNames: ["operation"],
      registers,
    }),
    refused: new Counter({ name: "svc_refused_total", help: "Refusals, by code.", labelNames: ["code"], registers }),
    inFlight: new Gauge({ name: "svc_requests_in_flight", help: "Requests being answered.", registers }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
