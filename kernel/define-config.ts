/** What `atlas.config.ts` exports. */
import type { PluginEntry } from './define-plugin.ts';

export interface AtlasConfig {
  /** What runs here. The order matters only between plugins that do not need one another. */
  readonly plugins: readonly PluginEntry[];
}

export function defineConfig(config: AtlasConfig): AtlasConfig {
  return config;
}
