/** Checks the name of a new plugin, and derives the name under which it is exported. */
import { readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { wrongUse } from '../../cli/index.ts';
import type { OwnPackage } from './own-package.ts';

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Words that cannot name a constant. */
const RESERVED = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
);

/** Folders of the plugins and kits that come with Atlas. */
const firstParty = () => readdirSync(new URL('../../', import.meta.url));

/**
 * The name of the plugin: that of the package, without hyphens that join no words. Throws when a package or a plugin of
 * that name could not be used.
 */
export function checkedName(given: string, { name, devDependencies }: OwnPackage): string {
  if (!NAME.test(given)) {
    throw wrongUse(
      `"${given}" is no name for a plugin: expected 1 to 64 lower-case letters, digits and hyphens, beginning with a letter.`,
      'Such as: company-calendar.',
    );
  }
  const plugin = given.replace(/-+/g, '-').replace(/-$/, '');
  const another = 'Choose another name, such as one with the name of your company.';
  for (const one of new Set([given, plugin])) {
    if (firstParty().includes(one)) throw wrongUse(`"${one}" is a plugin that comes with Atlas.`, another);
    if (builtinModules.includes(one)) throw wrongUse(`"${one}" is a module of Node.js.`, another);
    if (one === name || one === 'atlas' || one in devDependencies) {
      throw wrongUse(`"${one}" is a package that every plugin uses.`, another);
    }
  }
  return plugin;
}

/** `company-calendar` → `companyCalendar`, or a longer name where the template or the language uses that word. */
export function exportName(plugin: string, words: ReadonlySet<string>): string {
  const name = plugin.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const candidates = [name, `${name}Plugin`, `${name}AtlasPlugin`];
  return candidates.find((one) => !words.has(one) && !RESERVED.has(one)) ?? `${name}OwnPlugin`;
}
