/** Defines a provider whose models can be chosen while Atlas runs, and opens a model of it. */
import { Value } from '@sinclair/typebox/value';
import {
  type Awaitable,
  type Logger,
  type Question,
  type ResolvedModel,
  type Scope,
  Type,
} from '../../kernel/index.ts';
import type { Connections } from './connections.ts';
import { MODEL_OPTIONS } from './options.ts';
import { resilientModel } from './resilience.ts';
import type { ModelSource } from './source.ts';

export type Need = 'required' | 'optional' | 'none';

/** What was chosen. */
export interface ChosenModel {
  readonly model: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

export interface OpenModelInit {
  /** All requests go over them; they are closed with the model. */
  readonly connections: Connections;
  readonly log: Logger;
  /** In milliseconds. */
  readonly now: () => number;
}

export interface OpenModel {
  resolve(question: Question, scope: Scope): Awaitable<ResolvedModel>;
  close(): void;
}

export interface ModelProvider {
  /** Unique: `openai`. */
  readonly name: string;
  readonly apiKey: Need;
  readonly baseUrl: Need;
  /** Throws `configuration_error` when its package is not installed. What is required is given. */
  open(chosen: ChosenModel, init: OpenModelInit): OpenModel;
}

const { maxRetries, fallbackAfterMs, breakerFailures, breakerOpenMs } = MODEL_OPTIONS;
const Resilience = Type.Object({ maxRetries, fallbackAfterMs, breakerFailures, breakerOpenMs });

/** A model with retries and circuit breaker at their defaults, and without a fallback. */
export function openModel(source: ModelSource, { log, now }: Pick<OpenModelInit, 'log' | 'now'>): OpenModel {
  const { provider } = source;
  const model = resilientModel({ source, options: Value.Create(Resilience), log, now });
  return { resolve: async () => ({ model: await model.resolve(), provider }), close: () => model.close() };
}
