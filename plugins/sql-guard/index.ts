import {
  type ConnectionInfo,
  datasourceList,
  definePlugin,
  type PluginContext,
  type Scope,
  sqlBefore,
  sqlCheck,
} from '../../kernel/index.ts';
import { protectedTables, semanticLayer } from '../semantic-layer/index.ts';
import { findDialect, type SqlDialect, SqlRefusal } from '../sql-kit/index.ts';
import { StatementGuard } from './guard.ts';
import { tablesRestrict } from './hooks.ts';
import { SqlGuardOptions } from './options.ts';
import { isUnlisted } from './organization-tables.ts';

export type { BoundValue } from '../sql-kit/index.ts';
export { SqlRefusal } from '../sql-kit/index.ts';
export { type AllowedTable, AllowedTables, type RowFilter, type SqlChange } from './allowed-tables.ts';
export { type CheckedSql, type CheckRules, checkSql } from './check.ts';
export { StatementGuard } from './guard.ts';
export { type TableAccess, tablesRestrict } from './hooks.ts';
export { allowedTables } from './layer-tables.ts';

/** Lets one reading statement pass, over tables of the semantic layer and with allowed functions; nothing else. */
export const sqlGuard = definePlugin({
  name: 'sql-guard',
  version: '1.0.0',
  type: 'policy',
  description: 'Lets only reading statements over tables of the semantic layer pass.',
  needs: { layer: semanticLayer },
  options: SqlGuardOptions,
  setup(ctx, options, { layer }) {
    const guard = new StatementGuard(options, (problem) => ctx.log.warn({}, problem));
    ctx.tap(
      sqlBefore,
      async (statement, scope) => {
        const [model, isDefault] = await Promise.all([
          layer.for(scope),
          isDefaultConnection(ctx, statement.connection, scope),
        ]);
        const { connection } = statement;
        const dialect = await dialectFor(ctx, connection.dbType, scope);
        await dialect.load?.();
        const allowed = { connection, tables: guard.allowed(model, connection, dialect, isDefault) };
        const { tables } = await ctx.call(tablesRestrict, allowed, scope);
        return guard.admit(statement, tables, scope);
      },
      // What the others wrote is what has to be checked.
      { stage: 'post' },
    );
    const { organizations } = options;
    if (organizations !== undefined) ctx.tap(protectedTables, () => [isUnlisted(organizations)]);
    ctx.tap(sqlCheck, (statement, scope) => guard.verify(statement, scope), { seals: true });
  },
});

/** Throws `SqlRefusal` for an engine whose SQL nothing here describes. */
async function dialectFor(ctx: PluginContext, dbType: string, scope: Scope): Promise<SqlDialect> {
  const dialect = await findDialect(ctx, dbType, scope);
  if (dialect !== undefined) return dialect;
  throw new SqlRefusal('unchecked', `SQL of ${dbType} cannot be checked here`, { line: 1, column: 1 });
}

/** Whether it is the connection of the entities that name none: the one called `default`, else the first. */
async function isDefaultConnection(ctx: PluginContext, { id }: ConnectionInfo, scope: Scope): Promise<boolean> {
  if (id === 'default') return true;
  const ids = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value.id);
  return !ids.includes('default') && ids[0] === id;
}
