/** Makes the attributes that spans and metrics share. Each has few values, whatever clients send; none holds content. */
import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions';
import { AtlasError, type SqlOutcome } from '../../kernel/index.ts';
import type { ModelCalled } from '../agent/index.ts';
import type { RequestEnded } from '../http/index.ts';
import { GEN_AI } from './conventions.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OPERATIONS = new Set(['SELECT', 'VALUES', 'TABLE', 'EXPLAIN', 'SHOW', 'DESCRIBE', 'PRAGMA', 'SUMMARIZE', 'FROM']);
const BEFORE_OPERATION = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\()*/;

/** A code or a class, never a text. */
function errorType(error: unknown): string {
  if (error instanceof AtlasError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

export const errorAttributes = (error: unknown): Attributes =>
  error === undefined ? {} : { [ATTR_ERROR_TYPE]: errorType(error) };

/** Clients may send any method. */
export const requestAttributes = (method: string): Attributes => ({
  [ATTR_HTTP_REQUEST_METHOD]: METHODS.has(method) ? method : '_OTHER',
  [ATTR_URL_SCHEME]: 'http',
});

/** The route as it was declared: a path could hold anything. */
export const replyAttributes = ({ route, status }: RequestEnded): Attributes => ({
  ...(route !== undefined && { [ATTR_HTTP_ROUTE]: route }),
  [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
  ...(status >= 500 && { [ATTR_ERROR_TYPE]: String(status) }),
});

export const modelAttributes = ({ model }: Pick<ModelCalled, 'model'>): Attributes => ({
  [GEN_AI.operation]: 'chat',
  [GEN_AI.provider]: model.provider,
  [GEN_AI.model]: model.modelId,
});

/** The statement's first word, where it is one that only says what kind of statement it is. */
function operationOf(sql: string): string | undefined {
  const rest = sql.slice(0, 1_000).replace(BEFORE_OPERATION, '');
  const word = /^[a-z]+/i.exec(rest)?.[0].toUpperCase() ?? '';
  if (word === 'WITH') return 'SELECT';
  return OPERATIONS.has(word) ? word : undefined;
}

/** `system`: what OpenTelemetry calls the engine. */
export function sqlAttributes(
  { statement, request, status, error }: SqlOutcome,
  system: string | undefined,
): Attributes {
  const operation = operationOf(statement?.sql ?? request.sql);
  return {
    ...(system !== undefined && { [ATTR_DB_SYSTEM_NAME]: system }),
    ...(operation !== undefined && { [ATTR_DB_OPERATION_NAME]: operation }),
    ...(status === 'cancelled' ? { [ATTR_ERROR_TYPE]: status } : errorAttributes(error)),
  };
}
