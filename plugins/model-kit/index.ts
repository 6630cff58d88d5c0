/** The parts that model plugins are built with (retries, fallback, circuit breaker, health, connections, options), and the reading of what models write. */
export { withCallDefaults } from './call-defaults.ts';
export { type Connections, type ConnectionsInit, keptConnections } from './connections.ts';
export { statusOfReport } from './errors.ts';
export { fetchOver, type ReplyFilter } from './fetch.ts';
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
export { AnswerBuilder, MAX_CALLS, type ModelAnswer, type Reading } from './output/answer-builder.ts';
export { argumentProblem } from './output/argument-problem.ts';
export { withoutEntities } from './output/entities.ts';
export { checkedTools, type OfferedTools } from './output/offered-tools.ts';
export type { Delta } from './output/text-filter.ts';
export { ThoughtHabits } from './output/thought-habits.ts';
export type { ToolCall } from './output/tool-call.ts';
export { completeUsage, NO_USAGE } from './output/usage.ts';
export { asksForQuery, holdsQuery, QUERY_TOOL } from './output/written-query.ts';
export { provideModel } from './provide-model.ts';
export { callForDocument, callForStream, type DocumentReader, type StreamReader } from './provider-call.ts';
export { type ModelName, networkCodeOf, providerError } from './provider-errors.ts';
export { failedGeneration } from './provider-text.ts';
export { type Recovery, recoveryOf } from './recovery.ts';
export { RefusedFields } from './refused-fields.ts';
export { type ResilientModel, resilientModel } from './resilience.ts';
export { type EventReader, LONGEST_DOCUMENT_BYTES } from './response-body.ts';
export { sizeOf } from './size.ts';
export type { ModelSource } from './source.ts';
export { wellFormedJson } from './well-formed-json.ts';
