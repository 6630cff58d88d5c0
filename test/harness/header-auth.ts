/** Authenticates the requests of a test by its headers, which are believed. */
import { type Actor, authResolve, definePlugin, type PluginContext, type PluginEntry } from '../../kernel/index.ts';

type Believed = Partial<Actor> & { readonly orgId?: string | null };

/** `identify` says of a user only what matters; the rest is that of a viewer. `setUp` taps further hooks for the test. */
export function headerAuth(
  identify: (header: (name: string) => string) => Believed,
  setUp?: (ctx: PluginContext) => void,
): PluginEntry {
  const plugin = definePlugin({
    name: 'test-auth',
    version: '1.0.0',
    type: 'auth',
    description: 'Believes headers.',
    setup(ctx) {
      ctx.tap(authResolve, ({ headers }) => {
        const { orgId = null, ...known } = identify((name) => String(headers[name] ?? ''));
        const id = known.id === undefined ? 'ann' : known.id;
        const actor: Actor = { label: id, role: 'viewer', mode: 'test', claims: {}, ...known, id };
        return { actor, orgId };
      });
      setUp?.(ctx);
    },
  });
  return plugin();
}
