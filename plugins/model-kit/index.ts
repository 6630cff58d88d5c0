/** The parts that model plugins are built with: retries, fallback, circuit breaker, health, connections and options. */
export { withCallDefaults } from './call-defaults.ts';
export { type Connections, keptConnections } from './connections.ts';
export { errorOf, statusOfReport } from './errors.ts';
export { fetchOver, type ReplyFilter } from './fetch.ts';
export { hideSecrets } from './hide-secrets.ts';
export { MODEL_OPTIONS } from './options.ts';
export { provideModel } from './provide-model.ts';
export { resilientModel } from './resilience.ts';
export { isEventStream, LONGEST_DOCUMENT_BYTES, piecesOf, pulledStream, textOf } from './response-body.ts';
export type { ModelSource } from './source.ts';
