/** Serves `POST /api/v1/admin/preview`. */
import {
  AtlasError,
  authAuthorize,
  defineRoute,
  type Identity,
  type PluginContext,
  type Route,
  type RouteReply,
  type Scope,
} from '../../kernel/index.ts';
import type { Actions } from '../actions/index.ts';
import type { Agent } from '../agent/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import {
  answerReply,
  QUESTION_ERRORS,
  type QueryApi,
  QueryResult,
  refuse,
  STATEMENT_ERRORS,
  statementReply,
} from '../query-api/index.ts';
import { type ReadersInit, readerOf } from './readers.ts';
import { PreviewBody } from './schemas.ts';

const SURFACE = 'preview';

export interface PreviewRouteInit {
  readonly ctx: Pick<PluginContext, 'call' | 'scope'>;
  readonly agent: Agent;
  /** Given in a composition that has actions. */
  readonly actions: Actions | undefined;
  readonly readers: ReadersInit;
  readonly showsSql: QueryApi['showsSql'];
  /** Rejects where it has to be audited and cannot be. */
  audited(body: PreviewBody, reader: Identity, scope: Scope): Promise<void>;
}

function checkOneAsked({ question, sql }: PreviewBody): void {
  if ((question === undefined) !== (sql === undefined)) return;
  throw refuse(
    'question',
    question === undefined ? 'is required, unless sql is given' : 'cannot be given together with sql',
  );
}

export function previewRoute({ ctx, agent, actions, readers, showsSql, audited }: PreviewRouteInit): Route {
  /** What keeps the reader from asking at all, told as the reader's refusal and not as the administrator's. */
  async function authorize(reader: Scope): Promise<void> {
    try {
      await ctx.call(authAuthorize, { right: 'query', operation: 'A question' }, reader);
    } catch (error) {
      if (!(error instanceof AtlasError) || error.code === 'unavailable') throw error;
      throw new AtlasError(`The reader is refused: ${error.message}`, {
        code: 'forbidden',
        reason: 'E_PREVIEW_READER',
        cause: error,
      });
    }
  }

  return defineRoute({
    method: 'POST',
    path: '/api/v1/admin/preview',
    operationId: 'preview',
    area: 'preview',
    summary:
      'Answers a question, or runs a statement, as another reader would get it; nothing is stored as that reader.',
    tag: 'Preview',
    right: 'admin',
    organizationData: 'What other readers see',
    body: PreviewBody,
    responses: { 200: QueryResult },
    errors: [...new Set([...QUESTION_ERRORS, ...STATEMENT_ERRORS])],
    async handle({ body }, scope): Promise<RouteReply> {
      checkOneAsked(body);
      const reader = await readerOf(readers, body.as, scope);
      const { requestId, signal } = scope;
      // No part of the administrator's scope: nothing that belongs to the administrator is found in it.
      const own = ctx.scope({ requestId, signal, ...reader });
      previewedBy.set(own, scope.actor);
      await audited(body, reader, scope);
      await authorize(own);
      const { question, sql, connectionId } = body;
      const asked = { surface: SURFACE, ...(connectionId !== undefined && { connectionId }) };
      const hasActions = actions?.available === true;
      return sql === undefined
        ? answerReply(agent, { turns: [{ role: 'user', text: question ?? '' }], ...asked }, own, hasActions)
        : statementReply(agent, { sql, ...asked }, own, { hasActions, showsSql: showsSql(own.actor) });
    },
  });
}
