/**
 * Records one trace for each request. A span is found by its scope, and work in a part of that scope becomes its child,
 * so no context is carried through asynchronous calls. Events that report a past duration get a span with those times.
 */
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  ATTR_DB_COLLECTION_NAME,
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_QUERY_TEXT,
} from '@opentelemetry/semantic-conventions';
import { messagesOf, type PluginContext, type Scope, type SqlOutcome, scopeValue } from '../../kernel/index.ts';
import { modelCalled, questionBegun, questionEnded, toolBegun, toolEnded } from '../agent/index.ts';
import { requestBegun, requestEnded } from '../http/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import { errorAttributes, modelAttributes, replyAttributes, requestAttributes, sqlAttributes } from './attributes.ts';
import { messagesText } from './content.ts';
import { ATLAS, GEN_AI, RETURNED_ROWS } from './conventions.ts';

/** Takes a statement that has ended; `system`: what OpenTelemetry calls its engine. */
export type SqlWatch = (outcome: SqlOutcome, scope: Scope, system: string | undefined) => void;

/** Milliseconds since the epoch, in fractions, on a clock that never goes back. */
const now = () => performance.timeOrigin + performance.now();

/**
 * `content`: whether questions, answers, arguments, SQL and the texts of errors are shown. Returns what takes statements.
 */
export function watchTraces(ctx: PluginContext, tracer: Tracer, content: boolean): SqlWatch {
  const spans = scopeValue<Span>();
  const propagator = new W3CTraceContextPropagator();

  const contextOf = (scope: Scope | undefined): Context => {
    const span = spans.nearest(scope);
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  };
  const begin = (name: string, kind: SpanKind, attributes: Attributes, context: Context, startTime = now()) =>
    tracer.startSpan(name, { kind, attributes, startTime }, context);
  const shown = (attributes: () => Attributes): Attributes => (content ? attributes() : {});
  const end = (span: Span, error: unknown, isError = error !== undefined): void => {
    span.setAttributes(errorAttributes(error));
    if (isError) {
      const message = content && error !== undefined ? { message: withoutCredentials(messagesOf(error)) } : {};
      span.setStatus({ code: SpanStatusCode.ERROR, ...message });
    }
    span.end(now());
  };

  ctx.on(requestBegun, ({ scope, method, headers }) => {
    const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const attributes = { ...requestAttributes(method), [ATLAS.requestId]: scope.requestId };
    spans.set(scope, begin(method, SpanKind.SERVER, attributes, context));
  });
  ctx.on(requestEnded, (request) => {
    const span = spans.get(request.scope);
    if (span === undefined) return;
    const { method, route, status } = request;
    if (route !== undefined) span.updateName(`${method} ${route}`);
    span.setAttributes(replyAttributes(request));
    end(span, undefined, status >= 500);
  });

  ctx.on(questionBegun, ({ scope, question }) => {
    const { surface, conversationId, turns } = question;
    const attributes = {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.agent]: 'atlas',
      [ATLAS.surface]: surface,
      ...(conversationId !== undefined && { [GEN_AI.conversation]: conversationId }),
      ...shown(() => ({ [GEN_AI.inputMessages]: messagesText(turns) })),
    };
    spans.set(scope, begin('invoke_agent atlas', SpanKind.INTERNAL, attributes, contextOf(scope.parent)));
  });
  ctx.on(questionEnded, ({ scope, answer, error, model }) => {
    const span = spans.get(scope);
    if (span === undefined) return;
    if (model !== undefined) {
      span.setAttributes({ [GEN_AI.provider]: model.provider, [GEN_AI.model]: model.modelId });
    }
    if (answer !== undefined) {
      span.setAttributes({
        [GEN_AI.finishReasons]: [answer.finishReason],
        [GEN_AI.inputTokens]: answer.usage.inputTokens,
        [GEN_AI.outputTokens]: answer.usage.outputTokens,
        [ATLAS.steps]: answer.steps,
        ...shown(() => ({ [GEN_AI.outputMessages]: messagesText([{ role: 'assistant', text: answer.text }]) })),
      });
    }
    end(span, error);
  });

  ctx.on(modelCalled, (call) => {
    const { scope, model, answer, error, prompt, durationMs } = call;
    const attributes = {
      ...modelAttributes(call),
      ...(answer !== undefined && {
        [GEN_AI.finishReasons]: [answer.reason.replaceAll('-', '_')],
        [GEN_AI.inputTokens]: answer.usage.inputTokens,
        [GEN_AI.outputTokens]: answer.usage.outputTokens,
        [GEN_AI.cachedInputTokens]: answer.usage.cachedInputTokens,
      }),
      ...shown(() => ({
        [GEN_AI.inputMessages]: messagesText(prompt),
        ...(answer && { [GEN_AI.outputMessages]: messagesText([{ role: 'assistant', content: answer.content }]) }),
      })),
    };
    end(begin(`chat ${model.modelId}`, SpanKind.CLIENT, attributes, contextOf(scope), now() - durationMs), error);
  });

  ctx.on(toolBegun, ({ scope, tool, toolCallId, input }) => {
    const attributes = {
      [GEN_AI.operation]: 'execute_tool',
      [GEN_AI.tool]: tool,
      [GEN_AI.toolType]: 'function',
      [GEN_AI.toolCallId]: toolCallId,
      ...shown(() => ({ [GEN_AI.toolArguments]: withoutCredentials(JSON.stringify(input)) })),
    };
    spans.set(scope, begin(`execute_tool ${tool}`, SpanKind.INTERNAL, attributes, contextOf(scope.parent)));
  });
  ctx.on(toolEnded, ({ scope, error }) => {
    const span = spans.get(scope);
    if (span !== undefined) end(span, error);
  });

  return (outcome, scope, system) => {
    const { statement, status, durationMs, rowCount, error } = outcome;
    const known = sqlAttributes(outcome, system);
    // What a refused statement names may not be tables at all.
    const [table, ...others] = status === 'refused' ? [] : (statement?.tables ?? []);
    const collection = others.length === 0 ? table : undefined;
    const attributes = {
      ...known,
      ...(collection !== undefined && { [ATTR_DB_COLLECTION_NAME]: collection }),
      ...(statement !== undefined && { [ATLAS.connection]: statement.connection.id }),
      [ATLAS.sqlStatus]: status,
      [RETURNED_ROWS]: rowCount,
      ...shown(() => ({ [ATTR_DB_QUERY_TEXT]: statement?.sql ?? outcome.request.sql })),
    };
    const name = [known[ATTR_DB_OPERATION_NAME] ?? 'SQL', ...(collection === undefined ? [] : [collection])].join(' ');
    end(begin(name, SpanKind.CLIENT, attributes, contextOf(scope), now() - durationMs), error);
  };
}
