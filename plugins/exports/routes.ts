/** Serves exports: begins, shows, hands out and deletes those of the user who asks. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import {
  AtlasError,
  authAuthorize,
  defineRoute,
  type PluginContext,
  type Route,
  type Scope,
} from '../../kernel/index.ts';
import type { ConversationsApi } from '../conversations/index.ts';
import { admitted, policyOf } from '../datasource-kit/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { type QueryApi, refuse, STATEMENT_ERRORS } from '../query-api/index.ts';
import { EXPORT_JOB, SURFACE } from './export-job.ts';
import type { ExportsOptions } from './options.ts';
import type { Owners } from './owner.ts';
import { requireParquet } from './parquet-file.ts';
import { Export, ExportBody, ExportList, ExportParams, FileQuery } from './schemas.ts';
import type { Storage } from './storage.ts';
import type { ExportRow, ExportStore } from './store.ts';

const PATH = '/api/v1/exports';

export interface RoutesInit {
  readonly ctx: Pick<PluginContext, 'call' | 'now' | 'logOf'>;
  readonly options: Pick<ExportsOptions, 'linkMs'>;
  readonly store: ExportStore;
  readonly storage: Storage;
  readonly jobs: Pick<Jobs, 'add' | 'remove'>;
  readonly owners: Owners;
  readonly conversations: ConversationsApi | undefined;
  readonly showsSql: QueryApi['showsSql'];
  /** The address of a path, for people. */
  link(path: string): string;
}

/** What is to be exported, and whether the user wrote it. */
interface Wanted {
  readonly sql: string;
  readonly connectionId?: string;
  readonly isOwn: boolean;
}

export function exportRoutes(init: RoutesInit): Route[] {
  const { ctx, options, store, storage, jobs, owners, conversations, showsSql, link } = init;
  const common = { tag: 'Exports', right: 'query', organizationData: 'The exports' } as const;
  const one = { ...common, params: ExportParams };

  function shown(row: ExportRow, scope: Scope): Export {
    const time = (value: string | Date) => new Date(value).toISOString();
    const isShown = showsSql(scope.actor);
    return {
      id: row.id,
      status: row.status,
      format: row.format,
      connectionId: row.connection_id,
      sql: isShown ? row.sql : null,
      rows: Number(row.row_count),
      bytes: Number(row.size_bytes),
      // What a database says of a statement may quote it.
      error: row.error === null || isShown ? row.error : 'The statement could not be run for you.',
      createdAt: time(row.created_at),
      endedAt: row.ended_at === null ? null : time(row.ended_at),
      expiresAt: time(row.expires_at),
      ...(row.status === 'finished' && { url: link(linkTo(row, ctx.now() + options.linkMs)) }),
    };
  }

  /** A statement of one's own needs the right to run one, when it is asked for and when its file is taken. */
  async function mayRun(isOwn: boolean, ip: string, operation: string, scope: Scope): Promise<void> {
    if (isOwn) await ctx.call(authAuthorize, { right: 'approve', operation, ip }, scope);
  }

  async function wanted(
    { sql, connectionId, conversationId, messageId, statement }: ExportBody,
    scope: Scope,
  ): Promise<Wanted> {
    if (sql !== undefined) {
      if (messageId !== undefined) throw refuse('messageId', 'has no place beside sql');
      return { sql, ...(connectionId !== undefined && { connectionId }), isOwn: true };
    }
    if (conversationId === undefined) throw refuse('conversationId', 'is required, unless there is sql');
    if (messageId === undefined) throw refuse('messageId', 'is required with conversationId');
    if (conversations === undefined) throw refuse('conversationId', 'names a conversation, and none is stored here');
    const ref = { conversationId: conversationId.toLowerCase(), messageId: messageId.toLowerCase() };
    const { statements } = await conversations.ownAnswer(ref, scope);
    if (statements.length === 0) throw refuse('messageId', 'names an answer without a statement, and so without rows');
    const found = statements.at(statement ?? -1);
    if (found === undefined) throw refuse('statement', `must be one of the ${statements.length} of this answer`);
    return { ...found, isOwn: false };
  }

  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createExport',
      area: 'exports',
      summary: 'Begins to write all rows of a statement into a file: of one of your answers, or your own.',
      body: ExportBody,
      responses: { 202: Export },
      errors: ['not_found', 'conflict', 'invalid_request', ...STATEMENT_ERRORS],
      async handle({ body, ip }, scope) {
        const { sql, connectionId, isOwn } = await wanted(body, scope);
        await mayRun(isOwn, ip, `POST ${PATH}`, scope);
        if (body.format === 'parquet') requireParquet();
        // What may not run is refused now rather than later.
        const asked = { sql, surface: SURFACE, ...(connectionId !== undefined && { connectionId }) };
        const { connection } = await admitted(ctx, asked, scope);
        const given = {
          ...(await owners.present(scope)),
          format: body.format,
          sql,
          connection_id: connection.id,
          conversation_id: isOwn ? null : (body.conversationId?.toLowerCase() ?? null),
          is_own_sql: isOwn,
        };
        const row = await store.add(given, scope, (id, transaction) =>
          jobs.add(EXPORT_JOB, { id }, { key: id, transaction }),
        );
        return { status: 202, body: shown(row, scope) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listExports',
      summary: 'Your exports, newest first.',
      responses: { 200: ExportList },
      handle: async (_request, scope) => ({
        body: { exports: (await store.list(scope)).map((row) => shown(row, scope)) },
      }),
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id`,
      operationId: 'getExport',
      summary: 'How far an export is, and the link to its file when it is finished.',
      responses: { 200: Export },
      errors: ['not_found'],
      handle: async ({ params }, scope) => ({ body: shown(await store.find(params.id.toLowerCase(), scope), scope) }),
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id/file`,
      operationId: 'getExportFile',
      summary: 'The file of an export, by its link and as its user, while the policies are those it was made under.',
      query: FileQuery,
      responses: { 200: Type.String({ contentMediaType: 'application/octet-stream' }) },
      errors: ['not_found', 'conflict', ...STATEMENT_ERRORS],
      async handle({ params, query, ip }, scope) {
        const row = await store.find(params.id.toLowerCase(), scope);
        if (!isSigned(row, query)) throw voidLink();
        if (query.expires < ctx.now()) throw voidLink();
        if (row.file === null || row.status !== 'finished') throw voidLink();
        await mayRun(row.is_own_sql, ip, `GET ${PATH}/:id/file`, scope);
        const { sql, connection_id: connectionId } = row;
        const statement = await admitted(ctx, { sql, connectionId, surface: SURFACE }, scope);
        if (policyOf(statement) !== row.policy) throw policyChanged();
        ctx.logOf(scope).info({ exportId: row.id, bytes: Number(row.size_bytes) }, 'An export is handed out.');
        return {
          headers: {
            'content-type': 'application/octet-stream',
            'content-length': String(row.size_bytes),
            'content-disposition': `attachment; filename="export-${row.id}.${row.format}"`,
          },
          stream: await storage.read(row.file),
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'deleteExport',
      summary: 'Deletes an export and its file; one that waits or runs is stopped.',
      responses: { 204: Type.Void() },
      errors: ['not_found'],
      async handle({ params }, scope) {
        const { id, file } = await store.remove(params.id.toLowerCase(), scope);
        await jobs.remove(EXPORT_JOB, id);
        if (file !== null) await storage.remove(file);
        return { status: 204 };
      },
    }),
  ];
}

const signatureOf = ({ id, link_key: key }: ExportRow, expires: number) =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${id} ${expires}`).digest();

const linkTo = (row: ExportRow, expires: number) =>
  `${PATH}/${row.id}/file?expires=${expires}&signature=${signatureOf(row, expires).toString('hex')}`;

const isSigned = (row: ExportRow, { expires, signature }: { readonly expires: number; readonly signature: string }) =>
  timingSafeEqual(signatureOf(row, expires), Buffer.from(signature, 'hex'));

const voidLink = () =>
  new AtlasError('This link to an export is void, or has expired.', {
    code: 'forbidden',
    reason: 'E_EXPORT_LINK',
    hint: 'GET /api/v1/exports/:id has a new one.',
  });

const policyChanged = () =>
  new AtlasError('What you may see has changed since this export was made, so its file is not handed out.', {
    code: 'forbidden',
    reason: 'E_EXPORT_POLICY',
    hint: 'Export again: the new file has the rows that you may see now.',
  });
