/** Says what part a plugin has in the composition: its line there, and what goes away without it. */
import type { PluginList } from '../../../admin-plugins/index.ts';
import { ADMIN } from './texts.ts';

const T = ADMIN.plugins;

/** The line of `atlas.config.ts`: plugins are exported by their names in camel case. */
export const lineOf = (plugin: string): string =>
  `${plugin.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}(),`;

/** Where the plugin stands in each hook that it taps: `sql.check 2 of 3`. */
export function placesOf(plugin: string, hooks: PluginList['hooks']): readonly string[] {
  return hooks.flatMap(({ id, taps }) =>
    taps.flatMap((tap, index) => {
      if (tap.plugin !== plugin) return [];
      return [tap.key === undefined ? T.place(id, index + 1, taps.length) : `${id} (${tap.key})`];
    }),
  );
}

/** What becomes of each hook that the plugin taps, once it does not. */
export function lossesOf(plugin: string, hooks: PluginList['hooks']): readonly string[] {
  return hooks.flatMap(({ id, gate, summary, taps }) => {
    const own = taps.filter((tap) => tap.plugin === plugin);
    if (own.length === 0) return [];
    const keys = own.flatMap(({ key }) => (key === undefined ? [] : [key]));
    if (keys.length > 0) return [T.keysLost(id, keys.join(', '), summary)];
    const others = new Set(taps.map((tap) => tap.plugin)).size - 1;
    if (others > 0) return [T.partLost(id, others, summary)];
    return [gate ? T.gateLost(id, summary) : T.hookLost(id, summary)];
  });
}
