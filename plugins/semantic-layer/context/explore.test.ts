import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LayerFolder, layerFolder } from '../../../test/harness/layer-folder.ts';
import { ReloadingLayer } from '../reloading-layer.ts';

const orders = '# All our orders\ntable: orders\ndescription: What was ordered.\n';
const files = {
  'entities/orders.yml': orders,
  'entities/people.yaml': 'table: people\n',
  'metrics/core.yml': 'metrics: [{ id: sales, label: Sales, entity: orders, measure: count }]\n',
  'glossary.yml': 'terms: [{ term: late, definition: Not in time. }]\n',
  'crm/entities/leads.yml': 'table: leads\n',
  '.orgs/acme/entities/own.yml': 'table: own\ndescription: secret of acme\n',
  '.orgs/umbrella/entities/other.yml': 'table: other\ndescription: secret of umbrella\n',
  'notes.txt': 'secret notes',
  'entities/notes.txt': 'secret notes',
};

function explorer(folder: LayerFolder, { orgId = null as string | null, exploreBytes = 16_384 } = {}) {
  const layer = new ReloadingLayer({ dir: folder.dir, checkIntervalMs: 0, contextBytes: 16_384, exploreBytes });
  return (path: string) => layer.explore({ orgId }, path);
}

describe('explore', () => {
  test('lists the layer, folders and files', async () => {
    using folder = layerFolder(files);
    const explore = explorer(folder);
    const root = `The semantic layer, 3 entities:
crm/: 1 file
entities/: 2 files
glossary.yml: late
metrics/: 1 file`;
    for (const path of ['', '/', '.', './', ' '])
      expect((await explore(path)).split('\n').sort()).toEqual(root.split('\n').sort());
    expect(await explore('entities')).toBe('entities/:\norders.yml: What was ordered.\npeople.yaml: table people');
    expect(await explore('/crm/')).toBe('crm/:\nentities/: 1 file');
    for (const path of [
      'entities/orders.yml',
      '/entities/orders.yml',
      './entities/orders.yml',
      'entities/orders',
      'Orders',
    ]) {
      expect(await explore(path), path).toBe(orders);
    }
  });

  test('searches', async () => {
    using folder = layerFolder(files);
    const explore = explorer(folder);
    expect(await explore('?ordered')).toContain('- orders: What was ordered. [entities/orders.yml]');
    expect(await explore('? sales')).toContain('- sales "Sales" = orders.count [metrics/core.yml]');
    expect(await explore('?xyzzy')).toBe('Nothing in the semantic layer is like "xyzzy"; try other words.');
    expect(await explore('?')).toMatch(/^Nothing/);
  });

  test('names the nearest path for one that is not there', async () => {
    using folder = layerFolder(files);
    const explore = explorer(folder);
    expect(await explore('entities/ordrs.yml')).toBe(
      'There is no `entities/ordrs.yml` in the semantic layer; did you mean `entities/orders.yml`?',
    );
    expect(await explore('tables/order')).toContain('did you mean `entities/orders.yml`?');
    expect(await explore('nothing like it')).toContain('list the layer with an empty path');
  });

  test.each([
    '..',
    '../',
    '../../etc/passwd',
    '/etc/passwd',
    '//etc/passwd',
    'entities/../../../etc/passwd',
    'entities/../.orgs/umbrella/entities/other.yml',
    '.orgs',
    '.orgs/umbrella/entities/other.yml',
    './.orgs/umbrella',
    '../umbrella/entities/other.yml',
    '%2e%2e/%2e%2e/etc/passwd',
    '..%2fumbrella%2fentities%2fother.yml',
    '..\\umbrella\\entities\\other.yml',
    'entities\\orders.yml',
    'entities/orders.yml\0',
    'entities/orders.yml\0.txt',
    'file:///etc/passwd',
    '~/.ssh/id_rsa',
    'notes.txt',
    'entities/notes.txt',
    'ENTITIES/notes.txt',
    '__proto__',
    'constructor',
    '\u202E../',
    `${'a/'.repeat(200)}x`,
  ])('reaches nothing but the files of the layer: %j', async (path) => {
    using folder = layerFolder(files);
    const refused = explorer(folder, { orgId: '../umbrella' })(path);
    await expect(refused).rejects.toMatchObject({ reason: 'E_ORGANIZATION_UNMAPPED' });
    for (const orgId of [null, 'acme', 'none']) {
      const text = await explorer(folder, { orgId })(path);
      expect(text).toMatch(/is not a path of the semantic layer|There is no `/);
      expect(text).not.toMatch(/secret|root:/);
      expect(text.split('\n')).toHaveLength(1);
    }
  });

  test('stays in the layer of the organization', async () => {
    using folder = layerFolder(files);
    const explore = explorer(folder, { orgId: 'acme' });
    expect(await explore('')).toContain('1 entities');
    expect(await explore('entities/own.yml')).toContain('secret of acme');
    expect(await explore('entities/orders.yml')).toContain('There is no');
    expect(await explore('?umbrella secret')).not.toContain('other');
  });

  test('follows no link out of the layer, not even one made after the load', async () => {
    using outside = layerFolder({ 'secret.yml': 'table: secret\n' });
    using folder = layerFolder(files);
    symlinkSync(join(outside.dir, 'secret.yml'), join(folder.dir, 'entities/link.yml'));
    symlinkSync(outside.dir, join(folder.dir, 'linked'));
    const layer = new ReloadingLayer({
      dir: folder.dir,
      checkIntervalMs: 60_000,
      contextBytes: 16_384,
      exploreBytes: 16_384,
    });
    const scope = { orgId: null };
    expect(await layer.explore(scope, 'entities/link.yml')).toContain('There is no');
    expect(await layer.explore(scope, 'linked/secret.yml')).toContain('There is no');
    folder.remove('entities/orders.yml');
    symlinkSync(join(outside.dir, 'secret.yml'), join(folder.dir, 'entities/orders.yml'));
    expect(await layer.explore(scope, 'entities/orders.yml')).toBe(
      '`entities/orders.yml` cannot be shown: This link leads out of the semantic layer and is not followed.',
    );
  });

  test('is bounded; longer texts are split into pages without loss', async () => {
    const long = `table: long\ndimensions:\n${Array.from({ length: 300 }, (_, n) => `  - { name: größe_${n} }\n`).join('')}`;
    using folder = layerFolder({
      'entities/long.yml': long,
      'entities/line.yml': `table: a\ndescription: ${'ü'.repeat(9000)}\n`,
    });
    const explore = explorer(folder, { exploreBytes: 2000 });
    let read = '';
    let pages = 0;
    for (let path = 'entities/long.yml'; path !== ''; pages++) {
      const text = await explore(path);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
      const [body = '', next] = text.split(/^… page .*`(entities.*)`\.$/m);
      read += body;
      path = next ?? '';
      if (path === '') read += '\n';
    }
    expect(pages).toBeGreaterThan(3);
    expect(read.trim()).toBe(long.trim());
    expect(await explore('entities/long.yml#99')).toMatch(/^`entities\/long.yml` has \d+ pages\.$/);
    expect(Buffer.byteLength(await explore('entities/line.yml'))).toBeLessThanOrEqual(2000);
  });
});

describe('what is hidden', () => {
  test('is left out of files, metrics, terms, lists and searches', async () => {
    using folder = layerFolder({
      'entities/people.yml': `
# ssn is secret
table: people
freshness: { column: ssn_at, within: 24h }
dimensions:
  - { name: id }
  - { name: ssn_at, type: date, hidden: true }
  - { name: ssn, hidden: true, sample_values: [123-45] }
measures:
  - { name: numbers, type: count_distinct, sql: ssn }
  - { name: heads, type: count }
query_patterns:
  - { description: All, sql: select ssn from people }
`,
      'metrics/m.yml':
        'metrics:\n  - { id: k, entity: people, measure: numbers }\n  - { id: l, entity: people, measure: heads }\n',
      'metrics/one.yml': 'id: m\nentity: people\nsql: max(ssn)\n',
      'glossary.yml': 'terms: [{ term: citizen, definition: Is known., entity: people, sql: ssn is not null }]\n',
    });
    const explore = explorer(folder);
    for (const path of [
      '',
      'entities',
      'metrics',
      'entities/people.yml',
      'metrics/m.yml',
      'metrics/one.yml',
      'glossary.yml',
      '?number of people',
    ]) {
      expect(await explore(path), path).not.toMatch(/ssn is|name: ssn|ssn_at|123-45|count_distinct|max\(|select/);
    }
    expect(await explore('entities/people.yml')).toContain('name: heads');
    expect(await explore('metrics/m.yml')).toBe('metrics:\n  - id: l\n    entity: people\n    measure: heads\n');
    expect(await explore('glossary.yml')).toContain('definition: Is known.');
  });

  test('sample values of a masked column are neither shown nor found', async () => {
    using folder = layerFolder({
      'entities/people.yml': `
table: people
dimensions:
  - { name: city, sample_values: [Verona] }
  - { name: email, mask: "'***'", sample_values: [montague@example.com] }
`,
      'entities/others.yml': 'table: others\n',
    });
    const explore = explorer(folder);
    expect(await explore('?montague')).toMatch(/^Nothing in the semantic layer/);
    expect(await explore('?Verona')).toContain('- people');
    const shown = await explore('entities/people.yml');
    expect(shown).toContain('mask: "\'***\'"');
    expect(shown).toContain('Verona');
    expect(shown).not.toContain('montague');
  });

  test('a broken entity is not shown, since what it hides is unknown', async () => {
    using folder = layerFolder({
      'entities/a.yml': 'table: a\n',
      'entities/people.yml': 'table: people\ndimensions:\n  - { name: ssn, hiden: true }\n',
    });
    const explore = explorer(folder);
    expect(await explore('entities')).toContain('people.yml: not usable');
    expect(await explore('entities/people.yml')).toBe(
      '`entities/people.yml` cannot be used, line 3, column 18: the log says why.',
    );
  });
});
