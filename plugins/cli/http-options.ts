/** Changes how a composition serves HTTP, for commands that serve it in another way than `atlas serve`. */
import type { AtlasConfig } from '../../kernel/index.ts';

/** The same composition, with these options of `http()` replaced. */
export function withHttpOptions({ plugins }: AtlasConfig, options: object): AtlasConfig {
  return {
    plugins: plugins.map((entry) =>
      entry.definition.name === 'http' ? { ...entry, options: { ...Object(entry.options), ...options } } : entry,
    ),
  };
}
