/** Works out which areas of the web console a caller may see: those whose routes would not refuse the caller. */
import { AtlasError, authAuthorize, type PluginContext, type Route, type Scope } from '../../kernel/index.ts';

export interface Caller {
  readonly scope: Scope;
  readonly ip: string;
}

/** As the server asks before the route's handler: nothing is counted against a rate limit, audited or read. */
async function isOpen(ctx: Pick<PluginContext, 'call'>, route: Route, { scope, ip }: Caller): Promise<boolean> {
  const { method, path, right, organizationData } = route;
  try {
    await ctx.call(authAuthorize, { right, organizationData, operation: `${method} ${path}`, ip }, scope);
    route.ready?.({ params: {}, headers: {} }, scope);
    return true;
  } catch (error) {
    // A refusal; what could not be decided is no answer.
    if (error instanceof AtlasError && error.code !== 'unavailable') return false;
    throw error;
  }
}

/** In the order of the routes that show them, each once. */
export async function areasOf(
  ctx: Pick<PluginContext, 'call'>,
  routes: readonly Route[],
  caller: Caller,
): Promise<string[]> {
  const areas = new Set<string>();
  for (const route of routes) {
    if (route.area !== undefined && (await isOpen(ctx, route, caller))) areas.add(route.area);
  }
  return [...areas];
}
