/** Runs verified queries to see whether they still are what somebody vouched for. */
import {
  AtlasError,
  datasourceDescribe,
  messageOf,
  type PluginContext,
  type Scope,
  type SqlReply,
} from '../../kernel/index.ts';
import { previewedBy, SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import type { ModelVerifiedQuery, SemanticLayerApi } from '../semantic-layer/index.ts';
import { isVouched, type VerifiedQueryFinder } from './queries.ts';
import type { Baseline, Check, CheckStatus, CheckStore, StoredCheck } from './store.ts';

const SURFACE = 'verified';
/** Nothing follows of the query: its database is away, or the one who checks has no claims for row security. */
const UNKNOWN = new Set([
  'datasource_unavailable',
  'overloaded',
  'unavailable',
  'sql_cancelled',
  'forbidden',
  'no_datasource',
]);
const REFUSED = new Set(['sql_refused', 'invalid_request']);

export interface CheckedQuery extends Check {
  readonly name: string;
}

export interface ChecksInit {
  readonly ctx: PluginContext;
  readonly layer: SemanticLayerApi;
  readonly finder: VerifiedQueryFinder;
  /** Missing without an internal database: then each check stands alone. */
  readonly store: CheckStore | undefined;
  readonly slowMs: number;
}

export type Checks = ReturnType<typeof verifiedQueryChecks>;

export function verifiedQueryChecks({ ctx, layer, finder, store, slowMs }: ChecksInit) {
  /** A later request of the same actor, which sees what has been written since. */
  const scopeFor = ({ actor, orgId, signal }: Scope) => ctx.scope({ actor, orgId, signal });

  async function run(query: ModelVerifiedQuery, scope: Scope): Promise<SqlReply> {
    const statement = await finder.statement(query, await finder.examples(query, scope), scope);
    const own = scopeFor(scope);
    freshResults.set(own, true);
    // Nobody has asked for the rows: where a rule wants them approved, no action is to wait for that.
    if (scope.actor !== SYSTEM_ACTOR) previewedBy.set(own, scope.actor);
    return ctx.runSql({ ...statement, surface: SURFACE }, own);
  }

  async function baselineOf({ statement, result }: SqlReply, scope: Scope): Promise<Baseline> {
    const { connection, tables = [], columns = [] } = statement;
    const described = await ctx.callKey(datasourceDescribe, connection.key ?? connection.id, { schemas: [] }, scope);
    const [read, named] = [tables, columns].map((names) => new Set(names.map((name) => lastPart(name))));
    const found = described
      .filter(({ name }) => read!.has(lastPart(name)))
      .flatMap((table) =>
        table.columns
          .filter(({ name }) => named!.has(lastPart(name)))
          .map(({ name, type }) => [`${table.name}.${name}`, type.toLowerCase()] as const),
      );
    const isEmpty = result.rows.every((row) => Object.values(row).every((value) => value === null));
    return { columns: Object.fromEntries(found.toSorted()), result: result.columns, isEmpty };
  }

  async function checkOf(query: ModelVerifiedQuery, before: Baseline | undefined, scope: Scope): Promise<StoredCheck> {
    const checkedAt = new Date(ctx.now()).toISOString();
    const ended = (status: CheckStatus, message: string | null, baseline = before) => ({
      status,
      message,
      checkedAt,
      baseline,
    });
    try {
      const reply = await run(query, scope);
      const now = await baselineOf(reply, scope);
      const changes = before === undefined ? [] : changesOf(before, now);
      if (changes.length > 0) return ended('changed', `${changes.join(', ')}.`);
      if (before?.isEmpty === false && now.isEmpty) return ended('empty', 'It gives no rows any more.');
      if (reply.durationMs > slowMs) return ended('slow', `It took ${Math.round(reply.durationMs)} ms.`, now);
      return ended('ok', null, now);
    } catch (error) {
      scope.signal.throwIfAborted();
      const { code = '', reason = '' } = error instanceof AtlasError ? error : {};
      const message = messageOf(error);
      if (UNKNOWN.has(code) || reason.startsWith('E_APPROVAL')) return ended('unchecked', message);
      if (code === 'sql_timeout') return ended('slow', message);
      return ended(REFUSED.has(code) ? 'refused' : 'failed', message);
    }
  }

  /** Where something was wrong, it stays so until the query is another: somebody has to vouch for it again. */
  async function check(query: ModelVerifiedQuery, scope: Scope): Promise<CheckedQuery> {
    const own = await store?.find(scope.orgId, query);
    const known = own ?? (await last(query, scope));
    const before = own ?? (isWrong(known) ? known : undefined);
    const found = await checkOf(query, before?.baseline, scope);
    const isKept =
      before !== undefined && (isWrong(before) || (before.status === 'ok' && found.status === 'unchecked'));
    const { baseline, ...ended } = isKept ? { ...found, status: before.status, message: before.message } : found;
    await store?.save(scope.orgId, query, { ...ended, baseline });
    return { name: query.name, ...ended };
  }

  /**
   * By the organization; by the server itself where the layer is the shared one and it found something, or a copy of it
   * that was not checked yet.
   */
  async function last(query: ModelVerifiedQuery, scope: Scope): Promise<StoredCheck | undefined> {
    const own = await store?.find(scope.orgId, query);
    if (scope.orgId === null || isWrong(own)) return own;
    const isShared = (await layer.for(scope)) === (await layer.modelFor(null));
    const shared = isShared || own === undefined ? await store?.find(null, query) : undefined;
    return isWrong(shared) ? shared : (own ?? shared);
  }

  return {
    check,

    last,

    scopeFor,

    /** How the query runs that is not in the layer yet. */
    tryOut: (query: ModelVerifiedQuery, scope: Scope): Promise<Check> => checkOf(query, undefined, scope),

    /** One after the other; all of them, or one by its name. */
    async checkAll(scope: Scope, name?: string): Promise<CheckedQuery[]> {
      const checked: CheckedQuery[] = [];
      for (const query of await finder.all(scope)) {
        if (name === undefined || query.name === name) checked.push(await check(query, scope));
      }
      return checked;
    },
  };
}

export const isWrong = (check: Check | undefined): boolean =>
  check !== undefined && check.status !== 'ok' && check.status !== 'unchecked';

/** Why nobody is told who vouches for a query, in one sentence. */
export function reasonOf(query: ModelVerifiedQuery, check: Check | undefined): string | undefined {
  if (!isVouched(query)) return 'Nobody vouches for it.';
  return isWrong(check) ? (check?.message ?? `It is ${check?.status}.`) : undefined;
}

const lastPart = (name: string) => name.toLowerCase().split('.').at(-1) ?? '';

const namesOf = ({ columns }: Baseline) => new Set(Object.keys(columns).map(lastPart));

function changesOf(before: Baseline, now: Baseline): string[] {
  const changed = Object.entries(before.columns).flatMap(([name, type]) => {
    const is = now.columns[name];
    return is === type ? [] : is === undefined ? [`${name} is gone`] : [`${name} is ${is} instead of ${type}`];
  });
  // The layer may have made another statement of a plan.
  const more = [...namesOf(now).difference(namesOf(before))].map((name) => `it reads ${name} as well`);
  const isSame = before.result.join('\n') === now.result.join('\n');
  return isSame ? [...changed, ...more] : [...changed, ...more, `the result has the columns ${now.result.join(', ')}`];
}
