/** Finds out what the policies make of a statement for an actor at present, without running it. */
import { randomUUID } from 'node:crypto';
import {
  AtlasError,
  datasourceList,
  type PluginContext,
  type Scope,
  type SqlStatement,
  sqlBefore,
  sqlCheck,
} from '../../kernel/index.ts';
import { valuesDigest } from './values-digest.ts';

export interface AskedStatement {
  readonly sql: string;
  readonly connectionId?: string;
  readonly surface: string;
}

/**
 * The statement as the policies rewrite it for this actor, checked as before it runs. Rejects where it may not run, with
 * `invalid_request` for an unknown connection.
 */
export async function admitted(
  ctx: Pick<PluginContext, 'call'>,
  { sql, connectionId, surface }: AskedStatement,
  scope: Scope,
): Promise<SqlStatement> {
  const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const named = connections.find(({ id }) => id === (connectionId ?? 'default'));
  const connection = named ?? (connectionId === undefined ? connections[0] : undefined);
  if (connection === undefined) {
    throw new AtlasError('There is no such connection, or you may not use it.', {
      code: 'invalid_request',
      hint: 'GET /api/v1/me/connections lists yours.',
    });
  }
  const asked = { id: randomUUID(), connection, requested: sql, sql, params: [], surface };
  const statement = await ctx.call(sqlBefore, asked, scope);
  await ctx.call(sqlCheck, statement, scope);
  return statement;
}

/**
 * Identifies what the policies made of a statement: where it runs, its text with filters and masks, and the claims bound in
 * it. Two that are alike may read the same.
 */
export function policyOf({ connection, sql, params, tables, columns, functions }: SqlStatement): string {
  const { id, key, dbType, maskedUrl } = connection;
  return valuesDigest([key ?? id, dbType, maskedUrl, sql, [...params], tables, columns, functions]);
}
