import { exploreSandbox } from 'atlas-query/plugins/semantic-layer';
import { createTestApp, pluginContract, sandboxContract } from 'atlas-query/testing';
import { expect, it } from 'vitest';
import { templateSandbox } from '../src/index.ts';

pluginContract('template-sandbox', () => templateSandbox());

sandboxContract('template-sandbox', () => ({
  plugin: templateSandbox(),
  commands: {
    list: 'list',
    read: (path) => `read ${path}`,
    find: (word) => `find ${word}`,
    invalid: 'rm -rf /',
    hostile: ['read /etc/passwd', 'read ../package.json', 'find $(id)', 'list /'],
  },
}));

const files = [
  { path: 'entities/orders.yml', text: 'table: orders\ndescription: Orders of the shop.' },
  { path: 'glossary.yml', text: 'terms:\n  - { term: churn, definition: A customer who left. }' },
];

/** What the model reads. */
async function run(command: string, options: Parameters<typeof templateSandbox>[0] = {}): Promise<string> {
  await using app = await createTestApp({ plugins: [templateSandbox(options)] });
  const [sandbox] = await app.call(exploreSandbox, undefined, app.scope());
  return (await sandbox?.value.run({ command, files, maxBytes: 1_000 }, app.scope())) ?? '';
}

it.each([
  ['list', 'entities/orders.yml\nglossary.yml'],
  ['list entities/', 'entities/orders.yml'],
  ['find CUSTOMER left', 'glossary.yml:2: - { term: churn, definition: A customer who left. }'],
  ['find nothing', 'No line holds all of these words.'],
  ['read nothing.yml', 'There is no file "nothing.yml". Name one of: entities/orders.yml\nglossary.yml'],
  ['explain', 'Write "list", "read <file>" or "find <words>".'],
])('%s', async (command, answer) => {
  expect(await run(command)).toBe(answer);
});

it('shows as many lines as its option allows', async () => {
  expect(await run('find e', { maxMatches: 1 })).toContain('… only the first 1 lines are shown.');
});
