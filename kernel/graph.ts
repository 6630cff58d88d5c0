/** Checks the composition as a graph: what must be there, and in which order it is set up. */
import type { AnyPluginDefinition, Needs, PluginEntry } from './define-plugin.ts';
import type { BootProblem } from './errors.ts';
import { refOf } from './services.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `webhook-interaction` → `webhookInteraction`, the name an author imports. */
const importName = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** What a plugin needs, also what it may do without. */
export const needsOf = ({ needs = {} }: AnyPluginDefinition) => Object.values(needs as Needs).map(refOf);

/** Every fault of the composition that shows without starting anything. */
export function checkGraph(entries: readonly PluginEntry[], provided: ReadonlySet<string>): BootProblem[] {
  const problems: BootProblem[] = [];
  const names = entries.map(({ definition }) => definition.name);
  const present = new Set([...names, ...provided]);
  for (const [index, { definition }] of entries.entries()) {
    const { name: plugin, needs = {} } = definition;
    const report = (message: string, hint: string) => problems.push({ plugin, message, hint });
    if (!NAME.test(plugin)) report('is not a plugin name.', 'Use lower-case words joined by "-".');
    if (names.indexOf(plugin) < index) report('is listed twice.', 'Keep one entry in atlas.config.ts.');
    for (const need of Object.values(needs as Needs)) {
      const { pluginName: wanted } = refOf(need);
      if ('optional' in need || present.has(wanted)) continue;
      const hint = `Add ${importName(wanted)}() to the plugins in atlas.config.ts.`;
      report(`needs the plugin "${wanted}", which is not in the composition.`, hint);
    }
  }
  return problems;
}

/** Setup order: needs first, otherwise as listed. A cycle is a problem that shows its path. */
export function sortEntries(entries: readonly PluginEntry[], problems: BootProblem[]): PluginEntry[] {
  const byName = new Map(entries.map((entry) => [entry.definition.name, entry]));
  const sorted = new Set<PluginEntry>();
  const visit = (entry: PluginEntry, path: readonly string[]): void => {
    const { name } = entry.definition;
    if (sorted.has(entry)) return;
    if (path.includes(name)) {
      const cycle = [...path.slice(path.indexOf(name)), name].join(' -> ');
      problems.push({ plugin: name, message: `needs itself: ${cycle}.`, hint: 'Cut one of these needs.' });
    } else {
      const needs = needsOf(entry.definition).map(({ pluginName }) => byName.get(pluginName));
      for (const other of needs) if (other !== undefined) visit(other, [...path, name]);
    }
    sorted.add(entry);
  };
  for (const entry of byName.values()) visit(entry, []);
  return [...sorted];
}
