/** Finds the plugin among what a package exports. */
import { type AnyPluginDefinition, AtlasError, messageOf } from '../../../kernel/index.ts';

export interface AnyPlugin {
  readonly pluginName: string;
  readonly definition: AnyPluginDefinition;
}

export interface PluginExport {
  /** Name of the export; `default`: the default export. */
  readonly exported: string;
  /** A name for it in the configuration. */
  readonly local: string;
  readonly plugin: AnyPlugin;
}

function isPlugin(value: unknown): value is AnyPlugin {
  return typeof value === 'function' && 'definition' in value && 'pluginName' in value;
}

const camelCase = (text: string) =>
  text.replace(/[^A-Za-z0-9]+([A-Za-z0-9])?/g, (_, letter = '') => letter.toUpperCase());

/** `load` imports the package. Of several plugins the one is taken that has the name of the package. */
export async function exportedPlugin(
  name: string,
  load: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<PluginExport> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await load();
  } catch (error) {
    throw new AtlasError(`"${name}" could not be loaded: ${messageOf(error)}.`, {
      hint: 'If it comes from a folder, run "npm install" in that folder, which builds it.',
      cause: error,
    });
  }
  const named = Object.entries(exports).filter(([key, value]) => key !== 'default' && isPlugin(value));
  const found = (named.length > 0 ? named : Object.entries(exports).filter(([, value]) => isPlugin(value))) as [
    string,
    AnyPlugin,
  ][];
  const short = name.replace(/^@[^/]+\//, '');
  const own = found.filter(([, { pluginName }]) =>
    [name, short, short.replace(/^atlas-(?:plugin-)?/, '')].includes(pluginName),
  );
  const [one] = found.length === 1 ? found : own;
  if (one === undefined) {
    const several = found.map(([key]) => key).join(', ');
    throw new AtlasError(
      found.length === 0 ? `"${name}" exports no plugin.` : `"${name}" exports several plugins: ${several}.`,
      {
        hint:
          found.length === 0
            ? 'A plugin is what definePlugin returns.'
            : 'Install it, and write those that you want into atlas.config.ts.',
      },
    );
  }
  const [exported, plugin] = one;
  return { exported, local: exported === 'default' ? camelCase(plugin.pluginName) : exported, plugin };
}
