/** Reads a template: real files of this repository, in which the name is replaced. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CreatedType } from './plugin-types.ts';

const TEMPLATES = fileURLToPath(new URL('../templates', import.meta.url));

/** Comments, and texts without expressions. */
const NO_CODE = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$|'[^'\n]*'/gm;

export interface Names {
  readonly package: string;
  readonly plugin: string;
  readonly exported: string;
}

export interface Template {
  /** Words of its code, which a name must not take the meaning of. */
  readonly words: ReadonlySet<string>;
  /** The files by path, with these names. */
  named(names: Names): Map<string, string>;
}

function filesIn(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]);
}

export function readTemplate(type: CreatedType): Template {
  const files = [...filesIn(join(TEMPLATES, 'common')), ...filesIn(join(TEMPLATES, type))];
  const exported = `template${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const code = files.filter(([path]) => path.endsWith('.ts')).map(([, text]) => text.replace(NO_CODE, ''));
  return {
    words: new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [])),
    named(names) {
      const replaced = (text: string, name: string) =>
        text.replaceAll(exported, names.exported).replaceAll(`template-${type}`, name);
      return new Map(
        files.map(([path, text]) => {
          const name = path.endsWith('.md') ? names.package : names.plugin;
          return [replaced(path, names.plugin), replaced(text, name)];
        }),
      );
    },
  };
}
