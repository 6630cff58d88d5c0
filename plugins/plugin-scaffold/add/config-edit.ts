/** Adds an import and an entry to the source of a configuration; every other character stays as it is. */
import type { ArrayExpression, Expression, SpreadElement } from 'acorn';
import { type ConfigSource, readConfigSource } from './config-source.ts';

/** What is to be imported. */
export interface Wanted {
  /** The package. */
  readonly specifier: string;
  /** The name of the export; `default`: the default export, to be imported as `local`. */
  readonly exported: string;
  readonly local: string;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The name by which the export is imported already, such as `x` or `all.x`. */
function importedName({ imports }: ConfigSource, { specifier, exported }: Pick<Wanted, 'specifier' | 'exported'>) {
  for (const { source, specifiers } of imports) {
    if (source.value !== specifier) continue;
    for (const one of specifiers) {
      if (one.type === 'ImportDefaultSpecifier' && exported === 'default') return one.local.name;
      if (one.type === 'ImportNamespaceSpecifier') return `${one.local.name}.${exported}`;
      const name = one.type === 'ImportSpecifier' && ('name' in one.imported ? one.imported.name : one.imported.value);
      if (name === exported) return one.local.name;
    }
  }
  return undefined;
}

/** Whether an item of the list calls one of the names: `x()`, `all.x()`, also in a spread or a condition. */
function isListed(text: string, { plugins }: ConfigSource, name: string): boolean {
  const { start, end } = plugins.kind === 'list' ? plugins.list : plugins.expression;
  const code = text.slice(start, end).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$|'[^'\n]*'|"[^"\n]*"/gm, '');
  return new RegExp(`(?<![\\w$.])${name.replace(/[.$]/g, '\\$&')}\\s*\\(`).test(code);
}

/** Whether the configuration imports one of these exports of the package and lists it. */
export function hasEntry(text: string, isTypeScript: boolean, specifier: string): boolean {
  const source = readConfigSource(text, isTypeScript);
  const specifiers = source?.imports.filter(({ source: from }) => from.value === specifier) ?? [];
  return specifiers.some((one) =>
    one.specifiers.some(({ local }) => source !== undefined && isListed(text, source, local.name)),
  );
}

const endOfLine = (text: string, at: number) => {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : text[found - 1] === '\r' ? found - 1 : found;
};

/** The blanks at the beginning of the line that holds `at`. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function importInsertion(
  text: string,
  { imports, codeStart }: ConfigSource,
  wanted: Wanted,
  newline: string,
): Insertion {
  const last = imports.at(-1);
  const shown = last === undefined ? '' : text.slice(last.start, last.end);
  const quote = shown.includes('"') ? '"' : "'";
  const end = last === undefined || shown.endsWith(';') ? ';' : '';
  const { exported, local, specifier } = wanted;
  const named = exported === local ? local : `${exported} as ${local}`;
  const line = `import ${exported === 'default' ? local : `{ ${named} }`} from ${quote}${specifier}${quote}${end}`;
  if (last === undefined) return { at: codeStart, text: `${line}${newline}${newline}` };
  // Behind a comment on the same line, unless another statement stands there.
  const rest = text.slice(last.end, endOfLine(text, last.end));
  const at = /^\s*(?:\/\/.*|\/\*[\s\S]*\*\/\s*)?$/.test(rest) ? endOfLine(text, last.end) : last.end;
  return { at, text: `${newline}${line}` };
}

type Item = Expression | SpreadElement;

function listInsertions(
  text: string,
  code: string,
  { elements, start, end }: ArrayExpression,
  call: string,
  newline: string,
): Insertion[] {
  const close = end - 1;
  const last = elements.findLast((item): item is Item => item !== null);
  if (last === undefined) return [{ at: close, text: call }];
  // In the code without types, in which a comma of a type is none.
  const found = withoutComments(code.slice(last.end, close)).indexOf(',');
  const comma = found < 0 ? undefined : last.end + found;
  // A type behind the item belongs to it.
  const itemEnd = last.end + withoutComments(text.slice(last.end, comma ?? close)).trimEnd().length;
  const isOnItsOwnLine = text.slice(itemEnd, close).includes('\n') && text.slice(start, last.start).includes('\n');
  if (!isOnItsOwnLine) {
    // Between the last item and the bracket, on one line.
    if (comma !== undefined) return [{ at: comma + 1, text: ` ${call},` }];
    return [{ at: itemEnd, text: `, ${call}` }];
  }
  const at = endOfLine(text, comma ?? itemEnd);
  const line = `${newline}${indentAt(text, last.start)}${call}`;
  if (comma !== undefined) return [{ at, text: `${line},` }];
  return at === itemEnd
    ? [{ at, text: `,${line}` }]
    : [
        { at: itemEnd, text: ',' },
        { at, text: line },
      ];
}

/** Comments as blanks, each character in its old place. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (comment) => ' '.repeat(comment.length));
}

function entryInsertions(text: string, { code, plugins }: ConfigSource, call: string, newline: string): Insertion[] {
  if (plugins.kind === 'list') return listInsertions(text, code, plugins.list, call, newline);
  const { expression, isShorthand } = plugins;
  return [
    { at: expression.start, text: isShorthand ? 'plugins: [...' : '[...' },
    { at: expression.end, text: `, ${call}]` },
  ];
}

/** A name that the file does not use yet. */
function freeName({ names }: ConfigSource, local: string): string {
  const candidates = [
    local,
    ...Array.from({ length: 9 }, (_, index) => `${local}Plugin${index === 0 ? '' : index + 1}`),
  ];
  return candidates.find((name) => !names.has(name)) ?? `${local}AddedPlugin`;
}

/** The new source; the old one when it has import and entry. `undefined` when the list of plugins cannot be found. */
export function withEntry(text: string, isTypeScript: boolean, wanted: Wanted): string | undefined {
  const source = readConfigSource(text, isTypeScript);
  if (source === undefined) return undefined;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const known = importedName(source, wanted);
  if (known !== undefined && isListed(text, source, known)) return text;
  const local = known ?? freeName(source, wanted.local);
  const insertions = entryInsertions(text, source, `${local}()`, newline);
  if (known === undefined) insertions.push(importInsertion(text, source, { ...wanted, local }, newline));
  insertions.sort((a, b) => b.at - a.at);
  const edited = insertions.reduce((done, { at, text: piece }) => done.slice(0, at) + piece + done.slice(at), text);
  const after = readConfigSource(edited, isTypeScript);
  return after !== undefined && isListed(edited, after, local) ? edited : undefined;
}
