import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasEntry, withEntry } from './config-edit.ts';

const WANTED = { specifier: '@acme/calendar', exported: 'calendar', local: 'calendar' };
const edited = (text: string, wanted = WANTED) => withEntry(text, true, wanted);
/** Lines that were added, and those that were taken away. */
function changes(before: string, after = ''): { added: string[]; removed: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return { added: now.filter((line) => !old.includes(line)), removed: old.filter((line) => !now.includes(line)) };
}

const HEAD = "import { defineConfig } from 'atlas-query';\n";
const IMPORT = "import { calendar } from '@acme/calendar';\n";

describe('an entry is added', () => {
  it.each([
    [
      'to a list on one line',
      'defineConfig({ plugins: [a(), b()] })',
      'defineConfig({ plugins: [a(), b(), calendar()] })',
    ],
    ['behind a last comma', 'defineConfig({ plugins: [a(),] })', 'defineConfig({ plugins: [a(), calendar(),] })'],
    ['to an empty list', 'defineConfig({ plugins: [] })', 'defineConfig({ plugins: [calendar()] })'],
    ['to a list that holds a comment', '{ plugins: [ /* none yet */ ] }', '{ plugins: [ /* none yet */ calendar()] }'],
    ['to lines', '{\n  plugins: [\n    a(),\n  ],\n}', '{\n  plugins: [\n    a(),\n    calendar(),\n  ],\n}'],
    [
      'to lines without a last comma',
      '{ plugins: [\n\ta(),\n\tb({\n\t\tx: 1,\n\t})\n] }',
      '{ plugins: [\n\ta(),\n\tb({\n\t\tx: 1,\n\t}),\n\tcalendar()\n] }',
    ],
    [
      'behind a comment',
      '{ plugins: [\n  a(), // why, it is\n  // the end, really\n] }',
      '{ plugins: [\n  a(), // why, it is\n  calendar(),\n  // the end, really\n] }',
    ],
    [
      'behind a comment without a comma',
      '{ plugins: [\n  a() // why, it is\n] }',
      '{ plugins: [\n  a(), // why, it is\n  calendar()\n] }',
    ],
    [
      'to lines that end with the bracket',
      '{ plugins: [\n  a(),\n  b()] }',
      '{ plugins: [\n  a(),\n  b(), calendar()] }',
    ],
    ['to a spread', '{ plugins: [...selfHosted()] }', '{ plugins: [...selfHosted(), calendar()] }'],
    ['to what a function makes', '{ plugins: selfHosted() }', '{ plugins: [...selfHosted(), calendar()] }'],
    ['to a condition', '{ plugins: x ? a : b }', '{ plugins: [...x ? a : b, calendar()] }'],
    [
      'with types',
      'defineConfig({ plugins: [a<string>(), b() as never] } satisfies AtlasConfig)',
      'defineConfig({ plugins: [a<string>(), b() as never, calendar()] } satisfies AtlasConfig)',
    ],
    [
      'behind a type with commas',
      '{ plugins: [a(), b() as X<1, 2>] }',
      '{ plugins: [a(), b() as X<1, 2>, calendar()] }',
    ],
    [
      'behind a type on lines',
      '{ plugins: [\n  b() as X<1, 2>,\n] }',
      '{ plugins: [\n  b() as X<1, 2>,\n  calendar(),\n] }',
    ],
    ['with a quoted key', "{ 'plugins': [a()] }", "{ 'plugins': [a(), calendar()] }"],
  ])('%s', (_, before, after) => {
    expect(edited(`${HEAD}export default ${before};\n`)).toBe(`${HEAD}${IMPORT}export default ${after};\n`);
  });

  it.each([
    ['a constant', 'const config = { plugins: [a()] };\nexport default config;\n', 'plugins: [a(), calendar()]'],
    [
      'a list that has a name',
      'const list: PluginEntry[] = [a()];\nexport default { plugins: list };\n',
      '= [a(), calendar()]',
    ],
    [
      'a name that is both',
      'const plugins = selfHosted();\nexport default { plugins };\n',
      '{ plugins: [...plugins, calendar()] }',
    ],
    [
      'an export by name',
      'const config = { plugins: [a()] };\nexport { config as default };\n',
      'plugins: [a(), calendar()]',
    ],
  ])('to %s', (_, before, expected) => {
    expect(edited(before)).toContain(expected);
  });

  it.each(globSync('examples/*/atlas.config.ts').concat('atlas.config.ts'))(
    'to %s, of which no line is lost',
    (path) => {
      const text = readFileSync(path, 'utf8');
      const { added, removed } = changes(text, edited(text));
      expect(added).toContain(IMPORT.trim());
      expect(added.filter((line) => line.includes('calendar()'))).toHaveLength(1);
      // The line of a list that has only one changes.
      expect(removed.every((line) => /plugins: .*\)/.test(line))).toBe(true);
    },
  );
});

describe('an import is added', () => {
  it.each([
    [
      'with the quotes and without the semicolon of the file',
      'import { a } from "a"\nexport default { plugins: [a()] }\n',
      'import { a } from "a"\nimport { calendar } from "@acme/calendar"\n',
    ],
    [
      'behind a comment on the line',
      "import { a } from 'a'; // first\nexport default { plugins: [a()] };\n",
      `import { a } from 'a'; // first\n${IMPORT}`,
    ],
    [
      'behind one over several lines',
      "import {\n  a,\n} from 'a';\n\nexport default { plugins: [a()] };\n",
      `} from 'a';\n${IMPORT}\nexport`,
    ],
    [
      'below the comment of a file without imports',
      '#!/usr/bin/env node\n/** Ours. */\nexport default { plugins: [] };\n',
      `/** Ours. */\n${IMPORT}\nexport default`,
    ],
  ])('%s', (_, before, expected) => {
    expect(edited(before)).toContain(expected);
  });

  it('with the line ends of the file', () => {
    const after =
      edited("import { a } from 'a';\r\nexport default {\r\n  plugins: [\r\n    a(),\r\n  ],\r\n};\r\n") ?? '';
    expect(after).toContain("import { calendar } from '@acme/calendar';\r\n");
    expect(after).toContain('    calendar(),\r\n');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('under another name where the file uses that one', () => {
    const after = edited(`const calendar = 1;\nexport default { plugins: [a(calendar)] };\n`);
    expect(after).toContain("import { calendar as calendarPlugin } from '@acme/calendar';");
    expect(after).toContain('[a(calendar), calendarPlugin()]');
  });

  it('of a default export', () => {
    const after = edited('export default { plugins: [] };\n', { ...WANTED, exported: 'default' });
    expect(after).toContain("import calendar from '@acme/calendar';");
  });

  it('behind letters of several bytes, at the right place', () => {
    const before =
      "import { a } from 'a';\nconst größe: string = '東京 🎉';\nexport default { plugins: [a(größe)] };\n";
    expect(edited(before)).toBe(
      before.replace("'a';\n", `'a';\n${IMPORT}`).replace('a(größe)]', 'a(größe), calendar()]'),
    );
  });
});

describe('what is there stays', () => {
  it.each([
    ['import and entry', `${IMPORT}export default { plugins: [a(), calendar({ x: 1 })] };\n`],
    ['under another name', `import { calendar as c } from '@acme/calendar';\nexport default { plugins: [c()] };\n`],
    ['in a namespace', `import * as acme from '@acme/calendar';\nexport default { plugins: [acme.calendar()] };\n`],
    ['under a condition', `${IMPORT}export default { plugins: [...(x ? [calendar()] : [])] };\n`],
  ])('%s', (_, text) => {
    expect(edited(text)).toBe(text);
  });

  it.each([
    ['the import alone', `${IMPORT}export default { plugins: [a()] };\n`, '[a(), calendar()]'],
    ['in a comment', `${IMPORT}export default { plugins: [a() /* calendar() */] };\n`, 'calendar() */, calendar()]'],
    ['in a text', `${IMPORT}export default { plugins: [a('calendar()')] };\n`, "a('calendar()'), calendar()]"],
    ['of another object', `${IMPORT}export default { plugins: [x.calendar()] };\n`, '[x.calendar(), calendar()]'],
  ])('%s is no entry', (_, text, expected) => {
    const after = edited(text) ?? '';
    expect(after).toContain(expected.replace(' */, calendar()]', ' */'));
    expect(after.match(/@acme\/calendar/g)).toHaveLength(1);
    expect(hasEntry(text, true, '@acme/calendar')).toBe(false);
    expect(hasEntry(after, true, '@acme/calendar')).toBe(true);
  });

  it('twice is once', () => {
    const once = edited(`${HEAD}export default defineConfig({\n  plugins: [\n    a(),\n  ],\n});\n`) ?? '';
    expect(edited(once)).toBe(once);
  });
});

it.each([
  'export default { };',
  'export default makeConfig();',
  'export default { plugins: [a()], ...more };',
  'export const config = { plugins: [] };',
  'module.exports = { plugins: [] };',
  'export default { plugins() { return []; } };',
  'export default { plugins: [',
  'export default function config() {}',
  'enum A { B }\nexport default { plugins: [] };',
  '',
])('is not changed where the list cannot be found: %s', (text) => {
  expect(edited(text)).toBeUndefined();
});
