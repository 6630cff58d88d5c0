/** Defines the bus events of the agent, for observers such as telemetry. Payloads are shared, not copied. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { defineEvent, type PluginContext, type Question, type Scope } from '../../kernel/index.ts';
import type { ModelAnswer, ModelName } from '../model-kit/index.ts';
import type { Answer } from './api.ts';

/** The part of a plugin's context that the agent uses for events and logs. */
export type Bus = Pick<PluginContext, 'emit' | 'hasListeners' | 'logOf'>;

/** `scope`: a part of the request's scope, and the parent of everything done for the question. */
export const questionBegun = defineEvent<{ readonly scope: Scope; readonly question: Question }>('question:begun');

export interface QuestionEnded {
  readonly scope: Scope;
  /** `undefined` when the question failed or was abandoned. */
  readonly answer: Answer | undefined;
  /** `undefined` although there is no answer: the client has left. */
  readonly error: unknown;
  /** `undefined` when the question ended before a model was resolved. */
  readonly model: ModelName | undefined;
  readonly durationMs: number;
}
export const questionEnded = defineEvent<QuestionEnded>('question:ended');

export interface ModelCalled {
  readonly scope: Scope;
  readonly model: ModelName;
  readonly prompt: readonly LanguageModelV4Message[];
  /** Those that were offered. */
  readonly tools: NonNullable<LanguageModelV4CallOptions['tools']>;
  readonly answer: ModelAnswer | undefined;
  readonly error: unknown;
  readonly durationMs: number;
}
export const modelCalled = defineEvent<ModelCalled>('model:called');

export interface ToolBegun {
  /** A part of the question's scope, and the parent of what the tool does. */
  readonly scope: Scope;
  readonly tool: string;
  /** As in the messages to the model. */
  readonly toolCallId: string;
  readonly input: unknown;
}
/** Emitted only for calls that run a tool: not for an unknown tool or invalid arguments. */
export const toolBegun = defineEvent<ToolBegun>('tool:begun');

export interface ToolEnded {
  readonly scope: Scope;
  readonly tool: string;
  readonly error: unknown;
  readonly durationMs: number;
}
export const toolEnded = defineEvent<ToolEnded>('tool:ended');
