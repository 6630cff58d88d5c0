/** The parts that model plugins are built with: retries, fallback, circuit breaker, health, connections and options. */
export { withCallDefaults } from './call-defaults.ts';
export { type Connections, type ConnectionsInit, keptConnections } from './connections.ts';
export { callForDocument, type DocumentReader } from './document-call.ts';
export { statusOfReport } from './errors.ts';
export { type EventFilter, fetchOver, type ReplyFilter } from './fetch.ts';
export { modelProbe, modelProviders } from './hooks.ts';
export { loadPackage } from './load-package.ts';
export {
  type ChosenModel,
  type ModelProvider,
  type Need,
  type OpenModel,
  type OpenModelInit,
  openModel,
} from './model-provider.ts';
export { IS_DEFAULT, MODEL_OPTIONS } from './options.ts';
export { provideModel } from './provide-model.ts';
export { RefusedFields } from './refused-fields.ts';
export { type ResilientModel, resilientModel } from './resilience.ts';
export { LONGEST_DOCUMENT_BYTES } from './response-body.ts';
export type { ModelSource } from './source.ts';
export { wellFormedJson } from './well-formed-json.ts';
