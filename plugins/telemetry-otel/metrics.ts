/** Records counts and durations. No attribute has a value that a client may choose freely. */
import type { Histogram, Meter } from '@opentelemetry/api';
import {
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions';
import type { PluginContext } from '../../kernel/index.ts';
import { modelCalled } from '../agent/index.ts';
import { requestBegun, requestEnded } from '../http/index.ts';
import { budgetExhausted, usageCounted } from '../usage/index.ts';
import { errorAttributes, modelAttributes, replyAttributes, requestAttributes, sqlAttributes } from './attributes.ts';
import { ATLAS, GEN_AI } from './conventions.ts';
import type { SqlWatch } from './traces.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
const SQL_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
const MODEL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const HOOK_SECONDS = [0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Listens to hooks, model calls and requests. Returns what takes statements. */
export function watchMetrics(ctx: PluginContext, meter: Meter): SqlWatch {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } });

  const requestDuration = seconds(METRIC_HTTP_SERVER_REQUEST_DURATION, 'Duration of HTTP requests.', REQUEST_SECONDS);
  const activeRequests = meter.createUpDownCounter('http.server.active_requests', {
    description: 'HTTP requests that run now.',
    unit: '{request}',
  });
  ctx.on(requestBegun, ({ method }) => activeRequests.add(1, requestAttributes(method)));
  ctx.on(requestEnded, (request) => {
    const attributes = requestAttributes(request.method);
    activeRequests.add(-1, attributes);
    requestDuration.record(request.durationMs / 1_000, { ...attributes, ...replyAttributes(request) });
  });

  const modelDuration = seconds('gen_ai.client.operation.duration', 'Duration of model calls.', MODEL_SECONDS);
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Tokens of model calls.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  ctx.on(modelCalled, (call) => {
    const attributes = modelAttributes(call);
    modelDuration.record(call.durationMs / 1_000, { ...attributes, ...errorAttributes(call.error) });
    if (call.answer?.usage.isReported !== true) return;
    const { inputTokens, outputTokens } = call.answer.usage;
    tokens.record(inputTokens, { ...attributes, [GEN_AI.tokenType]: 'input' });
    tokens.record(outputTokens, { ...attributes, [GEN_AI.tokenType]: 'output' });
  });

  const cost = meter.createCounter('atlas.gen_ai.client.cost', {
    description: 'Cost of model calls, in the currency of the configured prices.',
  });
  ctx.on(usageCounted, ({ model, call }) => {
    if (call.cost !== undefined) cost.add(call.cost, modelAttributes({ model }));
  });
  const exhausted = meter.createCounter('atlas.budget.exhausted', {
    description: 'Questions that were refused or cut short because a token budget was spent.',
    unit: '{question}',
  });
  ctx.on(budgetExhausted, ({ budget }) => exhausted.add(1, { [ATLAS.budget]: budget }));

  const sqlDuration = seconds(METRIC_DB_CLIENT_OPERATION_DURATION, 'Duration of SQL statements.', SQL_SECONDS);
  const settled = meter.createCounter('atlas.sql.settled', {
    description: 'SQL statements by how they ended.',
    unit: '{statement}',
  });
  const hookDuration = seconds('atlas.hook.duration', 'Time that plugins take in hooks.', HOOK_SECONDS);
  ctx.observeHooks((hook, plugin) => {
    const attributes = { [ATLAS.hook]: hook, [ATLAS.plugin]: plugin };
    return (durationMs) => hookDuration.record(durationMs / 1_000, attributes);
  });

  return (outcome, _scope, system) => {
    const attributes = sqlAttributes(outcome, system);
    settled.add(1, { ...attributes, [ATLAS.sqlStatus]: outcome.status });
    if (outcome.status !== 'refused') sqlDuration.record(outcome.durationMs / 1_000, attributes);
  };
}
