/** Records counts and durations. No attribute has a value that a client may choose freely. */
import type { Meter } from '@opentelemetry/api';
import type { PluginContext } from '../../kernel/index.ts';
import { modelCalled } from '../agent/index.ts';
import { requestBegun, requestEnded } from '../http/index.ts';
import { limitsNotShared } from '../shared-limits/index.ts';
import { budgetExhausted, usageCounted } from '../usage/index.ts';
import { errorAttributes, modelAttributes, replyAttributes, requestAttributes, sqlAttributes } from './attributes.ts';
import { ATLAS, GEN_AI } from './conventions.ts';
import { instrumentOptions, type MetricName } from './metric-catalog.ts';
import type { SqlWatch } from './traces.ts';

/** Listens to hooks, model calls and requests. Returns what takes statements. */
export function watchMetrics(ctx: PluginContext, meter: Meter): SqlWatch {
  const histogram = (name: MetricName) => meter.createHistogram(name, instrumentOptions(name));
  const counter = (name: MetricName) => meter.createCounter(name, instrumentOptions(name));

  const requestDuration = histogram('http.server.request.duration');
  const activeRequests = meter.createUpDownCounter(
    'http.server.active_requests',
    instrumentOptions('http.server.active_requests'),
  );
  ctx.on(requestBegun, ({ method }) => activeRequests.add(1, requestAttributes(method)));
  ctx.on(requestEnded, (request) => {
    const attributes = requestAttributes(request.method);
    activeRequests.add(-1, attributes);
    requestDuration.record(request.durationMs / 1_000, { ...attributes, ...replyAttributes(request) });
  });

  const modelDuration = histogram('gen_ai.client.operation.duration');
  const tokens = histogram('gen_ai.client.token.usage');
  ctx.on(modelCalled, (call) => {
    const attributes = modelAttributes(call);
    modelDuration.record(call.durationMs / 1_000, { ...attributes, ...errorAttributes(call.error) });
    if (call.answer?.usage.isReported !== true) return;
    const { inputTokens, outputTokens } = call.answer.usage;
    tokens.record(inputTokens, { ...attributes, [GEN_AI.tokenType]: 'input' });
    tokens.record(outputTokens, { ...attributes, [GEN_AI.tokenType]: 'output' });
  });

  const cost = counter('atlas.gen_ai.client.cost');
  ctx.on(usageCounted, ({ model, call }) => {
    if (call.cost !== undefined) cost.add(call.cost, modelAttributes({ model }));
  });
  const exhausted = counter('atlas.budget.exhausted');
  ctx.on(budgetExhausted, ({ budget }) => exhausted.add(1, { [ATLAS.budget]: budget }));

  const notShared = counter('atlas.limits.not_shared');
  ctx.on(limitsNotShared, ({ store }) => notShared.add(1, { [ATLAS.limitsStore]: store }));

  const sqlDuration = histogram('db.client.operation.duration');
  const settled = counter('atlas.sql.settled');
  const hookDuration = histogram('atlas.hook.duration');
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
