/** Serves usage: to every user their own, to administrators that of the active organization. */
import {
  AtlasError,
  authAuthorize,
  defineRoute,
  type PluginContext,
  type Route,
  type Scope,
} from '../../kernel/index.ts';
import { type Budget, budgetsOf, ownerOf } from './budgets.ts';
import type { UsageOptions } from './options.ts';
import { dayOf, monthOf } from './periods.ts';
import type { Reservations } from './reservations.ts';
import { UsagePage, UsageQuery } from './schemas.ts';
import type { UsageStore } from './store.ts';

const PATH = '/api/v1/usage';
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

export interface UsageRoutesInit {
  readonly ctx: Pick<PluginContext, 'call' | 'now'>;
  readonly options: UsageOptions;
  readonly store: UsageStore;
  readonly reservations: Reservations;
}

type View = NonNullable<UsageQuery['scope']>;

export function usageRoutes({ ctx, options, store, reservations }: UsageRoutesInit): Route[] {
  const checkAdministrator = async (scope: Scope): Promise<void> => {
    await ctx.call(
      authAuthorize,
      {
        right: 'admin',
        operation: `GET ${PATH} for the organization`,
        organizationData: 'The usage of the organization',
      },
      scope,
    );
  };
  const viewOf = async ({ scope: asked, user }: UsageQuery, scope: Scope): Promise<View> => {
    if (asked === 'own') return 'own';
    try {
      await checkAdministrator(scope);
      return 'organization';
    } catch (error) {
      if (asked === undefined && user === undefined && error instanceof AtlasError) return 'own';
      throw error;
    }
  };
  const budgetStates = async (view: View, scope: Scope) => {
    const wanted: Budget['name'] = view === 'own' ? 'userDay' : 'orgMonth';
    const budgets = budgetsOf(options, ownerOf(scope), ctx.now()).filter(({ name }) => name === wanted);
    const spent = await reservations.spent(budgets);
    return budgets.map(({ name, limitTokens, renewsAt }, index) => ({
      name,
      limitTokens,
      usedTokens: spent[index]?.usedTokens ?? 0,
      reservedTokens: spent[index]?.reservedTokens ?? 0,
      renewsAt: new Date(renewsAt).toISOString(),
    }));
  };
  return [
    defineRoute({
      method: 'GET',
      path: PATH,
      operationId: 'getUsage',
      area: 'usage',
      summary: 'Tokens and cost by day and model: your own, or for administrators those of the organization.',
      tag: 'Usage',
      right: 'query',
      query: UsageQuery,
      responses: { 200: UsagePage },
      errors: ['forbidden'],
      async handle({ query }, scope) {
        const { limit, offset, user } = query;
        const now = ctx.now();
        const { from = `${monthOf(now)}-01`, to = dayOf(now) } = query;
        checkDays(from, to);
        const view = await viewOf(query, scope);
        const owner = ownerOf(scope);
        const userId = view === 'own' ? owner.user_id : user;
        const page = await store.read({ orgId: owner.org_id, userId, from, to }, query);
        const budgets = await budgetStates(view, scope);
        return { body: { scope: view, from, to, ...page, budgets, limit, offset } };
      },
    }),
  ];
}

function checkDays(from: string, to: string): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_DAYS) return;
  throw new AtlasError(`from and to must name at most ${MAX_DAYS} days, the earlier one first.`, {
    code: 'invalid_request',
    hint: 'Ask for a shorter time.',
  });
}
