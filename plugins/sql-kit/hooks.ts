/** Declares the hook by which plugins bring dialects, and finds the dialect of a connection. */
import { AtlasError, collect, type PluginContext, type Scope } from '../../kernel/index.ts';
import { kitDialect, kitDialectNames } from './dialects/kit-dialects.ts';
import type { SqlDialect } from './dialects/sql-dialect.ts';

export const sqlDialects = collect<undefined, SqlDialect>('sql.dialects', {
  summary: 'Dialects of SQL besides those of `sql-kit`; the `dbType` of a connection names one.',
});

/** By the context that asks: what plugins bring does not change once all are set up. */
const found = new WeakMap<object, Map<string, SqlDialect>>();

/** The dialect that connections name in `dbType`; `undefined` where no plugin brings it. */
export async function findDialect(
  ctx: Pick<PluginContext, 'call'>,
  name: string,
  scope: Scope,
): Promise<SqlDialect | undefined> {
  const known = found.get(ctx) ?? new Map<string, SqlDialect>();
  found.set(ctx, known);
  const dialect = known.get(name) ?? (await broughtDialect(ctx, name, scope));
  if (dialect !== undefined) known.set(name, dialect);
  return dialect;
}

async function broughtDialect(
  ctx: Pick<PluginContext, 'call'>,
  name: string,
  scope: Scope,
): Promise<SqlDialect | undefined> {
  const brought = await ctx.call(sqlDialects, undefined, scope);
  const own = kitDialectNames.includes(name) ? await kitDialect(name) : undefined;
  const named = brought.filter(({ value }) => value.name === name);
  const first = own === undefined ? named[0] : { plugin: 'sql-kit', value: own };
  const other = named.find(({ value }) => value !== first?.value);
  if (other === undefined) return first?.value;
  throw new AtlasError(`Both "${first?.plugin}" and "${other.plugin}" bring an SQL dialect named "${name}".`, {
    code: 'configuration_error',
    reason: 'E_DIALECT_DUPLICATE',
    hint: 'Give one of the dialects another name.',
  });
}

/** The same; throws `configuration_error` where no plugin brings it. */
export async function dialectOf(ctx: Pick<PluginContext, 'call'>, name: string, scope: Scope): Promise<SqlDialect> {
  const dialect = await findDialect(ctx, name, scope);
  if (dialect !== undefined) return dialect;
  throw new AtlasError(`No plugin brings the SQL dialect "${name}".`, {
    code: 'configuration_error',
    reason: 'E_DIALECT_UNKNOWN',
    hint: 'Let the datasource plugin tap "sql.dialects" with it.',
  });
}
