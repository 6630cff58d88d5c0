/** Names attributes: those of the semantic conventions that are not stable yet, and those of Atlas. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  tokenType: 'gen_ai.token.type',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

export const RETURNED_ROWS = 'db.response.returned_rows';

export const ATLAS = {
  requestId: 'atlas.request.id',
  surface: 'atlas.surface',
  steps: 'atlas.agent.steps',
  connection: 'atlas.connection.id',
  sqlStatus: 'atlas.sql.status',
  hook: 'atlas.hook',
  plugin: 'atlas.plugin',
  budget: 'atlas.budget',
  limitsStore: 'atlas.limits.store',
} as const;
