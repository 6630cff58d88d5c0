/** Checks the composition as a graph: what must be there, and in which order it is set up. */
import type { AnyPluginDefinition, Needs, PluginEntry, PluginRef } from './define-plugin.ts';
import type { BootProblem } from './errors.ts';
import { refOf } from './services.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `webhook-interaction` → `webhookInteraction`, the name an author imports. */
function importName(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** What a plugin needs, also what it may do without. */
export function needsOf({ needs = {} }: AnyPluginDefinition): PluginRef[] {
  return Object.values(needs as Needs).map(refOf);
}

/** Every fault of the composition that shows without starting anything. */
export function checkGraph(entries: readonly PluginEntry[], provided: ReadonlySet<string>): BootProblem[] {
  const problems: BootProblem[] = [];
  const names = new Set<string>();
  for (const { definition } of entries) {
    const { name } = definition;
    if (!NAME.test(name)) {
      problems.push({ plugin: name, message: 'is not a plugin name.', hint: 'Use lower-case words joined by "-".' });
    }
    if (names.has(name)) {
      problems.push({ plugin: name, message: 'is listed twice.', hint: 'Keep one entry in atlas.config.ts.' });
    }
    names.add(name);
  }
  for (const { definition } of entries) {
    for (const need of Object.values((definition.needs ?? {}) as Needs)) {
      const { pluginName: wanted } = refOf(need);
      if ('optional' in need || names.has(wanted) || provided.has(wanted)) continue;
      problems.push({
        plugin: definition.name,
        message: `needs the plugin "${wanted}", which is not in the composition.`,
        hint: `Add ${importName(wanted)}() to the plugins in atlas.config.ts.`,
      });
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
      sorted.add(entry);
      return;
    }
    for (const { pluginName } of needsOf(entry.definition)) {
      const other = byName.get(pluginName);
      if (other !== undefined) visit(other, [...path, name]);
    }
    sorted.add(entry);
  };
  for (const entry of byName.values()) visit(entry, []);
  return [...sorted];
}
