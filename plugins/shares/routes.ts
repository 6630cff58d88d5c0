/** Serves shared answers: their question and statements, and what these bring for each reader. */
import { Type } from '@sinclair/typebox';
import {
  AtlasError,
  defineRoute,
  type PluginContext,
  type Route,
  type RouteReply,
  type Scope,
} from '../../kernel/index.ts';
import { type Agent, shownTable } from '../agent/index.ts';
import type { Audit } from '../audit/index.ts';
import { hasRight } from '../auth-kit/index.ts';
import type { ConversationsApi, StoredAnswer } from '../conversations/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import { sizeOf } from '../model-kit/index.ts';
import { type QueryApi, STATEMENT_ERRORS, tableWithoutSql } from '../query-api/index.ts';
import { Share, ShareBody, ShareLink, ShareParams, ShareResult } from './schemas.ts';
import { notFound, type ShareRow, type ShareStore } from './store.ts';

/** How many statements of one shared answer are run. */
const MAX_STATEMENTS = 8;
const MAX_BYTES = 16 * 1024 * 1024;
/** Stands for where the statements come from. */
const SURFACE = 'share';

export interface RoutesInit {
  readonly ctx: Pick<PluginContext, 'now'>;
  readonly agent: Pick<Agent, 'runStatement'>;
  readonly store: ShareStore;
  readonly conversations: ConversationsApi;
  readonly showsSql: QueryApi['showsSql'];
  readonly log: Audit | undefined;
  /** The address of a path, for people. */
  link(path: string): string;
}

export function shareRoutes({ ctx, agent, store, conversations, showsSql, log, link }: RoutesInit): Route[] {
  const common = { tag: 'Shares', right: 'query', organizationData: 'The shared answers' } as const;
  const one = { ...common, params: ShareParams };
  const urlOf = (id: string) => link(`/s/${id}`);
  const isOwn = ({ user_id }: ShareRow, { actor }: Scope) => user_id === (actor.id ?? '');

  async function shared(id: string, { orgId }: Scope): Promise<{ share: ShareRow; answer: StoredAnswer }> {
    const share = await store.find(orgId, id.toLowerCase());
    const answer = await conversations.answer({ conversationId: share.conversation_id, messageId: share.message_id });
    return answer === undefined ? Promise.reject(notFound()) : { share, answer };
  }

  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/v1/shares',
      operationId: 'shareAnswer',
      area: 'shares',
      summary: 'Shares one of your answers within your organization: its question and statements.',
      body: ShareBody,
      responses: { 201: ShareLink },
      errors: ['not_found', 'invalid_request'],
      async handle({ body }, scope) {
        const ref = { conversationId: body.conversationId.toLowerCase(), messageId: body.messageId.toLowerCase() };
        const { statements } = await conversations.ownAnswer(ref, scope);
        if (statements.length === 0) throw nothingToRun();
        const { actor, orgId } = scope;
        const { id } = await store.add(ref, { orgId, userId: actor.id }, new Date(ctx.now()).toISOString());
        return { status: 201, body: { id, url: urlOf(id) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: '/api/v1/shares/:id',
      operationId: 'getShare',
      summary: 'The question and the statements of a shared answer, without rows.',
      responses: { 200: Share },
      errors: ['not_found'],
      async handle({ params }, scope) {
        const { share, answer } = await shared(params.id, scope);
        const { id, created_at: createdAt } = share;
        const sql = showsSql(scope.actor) ? answer.statements.map((statement) => statement.sql) : [];
        const { question } = answer;
        return { body: { id, url: urlOf(id), question, sql, isOwn: isOwn(share, scope), createdAt } };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: '/api/v1/shares/:id/run',
      operationId: 'runShare',
      summary: 'Runs the statements of a shared answer as you, so that you get the rows that you may see.',
      responses: { 200: ShareResult },
      errors: ['not_found', ...STATEMENT_ERRORS],
      async handle({ params }, scope) {
        const { answer } = await shared(params.id, scope);
        return run(answer, scope);
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: '/api/v1/shares/:id',
      operationId: 'deleteShare',
      summary: 'Withdraws a shared answer: your own, or as an administrator any of your organization.',
      responses: { 204: Type.Void() },
      errors: ['not_found', 'forbidden'],
      async handle({ params }, scope) {
        await store.remove(scope.orgId, params.id.toLowerCase(), async (share, trx) => {
          if (isOwn(share, scope)) return;
          if (!hasRight(scope.actor, 'admin')) throw notYours();
          const { id, user_id: owner } = share;
          const target = { type: 'share', id, label: owner };
          await log?.change({ action: 'share.deleted', target, before: { owner } }, scope, trx);
        });
        return { status: 204 };
      },
    }),
  ];

  /** Every statement goes the whole way again, as any statement of this reader. Its rows count as memory until they are sent. */
  async function run({ question, statements }: StoredAnswer, scope: Scope): Promise<RouteReply> {
    const isSqlShown = showsSql(scope.actor);
    const releases: (() => void)[] = [];
    const done = () => {
      for (const release of releases) release();
    };
    const data: ShareResult['data'] = [];
    let room = MAX_BYTES;
    try {
      for (const { about, ...statement } of statements.slice(0, MAX_STATEMENTS)) {
        if (room <= 0) break;
        freshResults.set(scope, true);
        const { table, release } = await agent.runStatement({ ...statement, surface: SURFACE }, scope);
        releases.push(release);
        room -= sizeOf(table.rows, MAX_BYTES);
        const shown = shownTable(isSqlShown ? table : tableWithoutSql(table)) as ShareResult['data'][number];
        // The chart is that of the answer, which may have been changed in it; the rest is told of these rows.
        data.push({ ...shown, ...(about?.chart !== undefined && { chart: about.chart as typeof shown.chart }) });
      }
    } catch (error) {
      done();
      throw isSqlShown ? error : withoutStatement(error);
    }
    return { body: { question, data, complete: data.length === statements.length } satisfies ShareResult, done };
  }
}

/** What a database or a rule says of a statement may quote it. */
const withoutStatement = (error: unknown) =>
  error instanceof AtlasError
    ? new AtlasError('The shared answer cannot be run for you.', {
        code: error.code,
        retryAfterSeconds: error.retryAfterSeconds,
        hint: 'Ask whoever shared it.',
        cause: error,
      })
    : error;

const nothingToRun = () =>
  new AtlasError('This answer ran no statement, so there is nothing that a reader could be shown.', {
    code: 'invalid_request',
    hint: 'Share an answer with a table.',
  });

const notYours = () =>
  new AtlasError('Only who shared an answer, or an administrator, may withdraw it.', {
    code: 'forbidden',
    hint: 'Ask an administrator of your organization.',
  });
