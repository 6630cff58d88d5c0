/** Lets a plugin answer a statement with a result that was read before, in place of its execution. */
import {
  first,
  type PluginContext,
  parallel,
  type Scope,
  type SqlResult,
  type SqlStatement,
  scopeValue,
} from '../../kernel/index.ts';

export interface CachedResult extends SqlResult {
  /** How long ago the database gave the rows. */
  readonly cached: { readonly ageMs: number };
}

/** A tap that does not have the result returns `undefined`. Statements of which users see different rows do not come here. */
export const resultLookup = first<SqlStatement, CachedResult>('result.lookup', {
  summary: 'Asked for the result of a checked statement before the database is: one that was read before.',
});

export const resultRead = parallel<{ readonly statement: SqlStatement; readonly result: SqlResult }>('result.read', {
  summary: 'Told the result that the database gave to a statement, before masks and limits of other plugins.',
});

/** Statements of a scope that has it, or is a part of one that has, are always run by the database. */
export const freshResults = scopeValue<true>();

/** Of a result, and of whatever is made of one by adding to it; `undefined`: the database gave it now. */
export const cachedOf = (result: object): CachedResult['cached'] | undefined =>
  (result as Partial<CachedResult>).cached;

/** Answers by a tap that has the result, else by `read`. */
export async function resultOf(
  ctx: Pick<PluginContext, 'call'>,
  statement: SqlStatement,
  scope: Scope,
  read: () => Promise<SqlResult>,
): Promise<SqlResult> {
  const known = freshResults.nearest(scope) ? undefined : await ctx.call(resultLookup, statement, scope);
  if (known !== undefined) return known;
  const result = await read();
  await ctx.call(resultRead, { statement, result }, scope);
  return result;
}
