import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type LayerFolder, layerFolder } from '../../test/harness/layer-folder.ts';
import { unwritable } from './files/replace.ts';
import { semanticLayer } from './index.ts';
import { MAX_FILES } from './layer-import.ts';

const SHARED = {
  'catalog.yml': 'name: Shop\n',
  'entities/orders.yml':
    'table: orders\njoins:\n  - { target: customers, relationship: many_to_one, on: { from: c, to: id } }\n',
  'entities/customers.yml': 'table: customers\n',
  'warehouse/entities/stock.yml': 'table: stock\n',
  'README.md': 'Not part of the layer.\n',
};

const start = ({ dir }: LayerFolder) => createTestApp({ plugins: [semanticLayer({ dir, checkIntervalMs: 60_000 })] });
const namesOf = async (app: Awaited<ReturnType<typeof start>>, orgId: string | null) =>
  (await app.get(semanticLayer).modelFor(orgId)).entities.map(({ name }) => name).sort();
const read = ({ dir }: LayerFolder, path: string) => readFileSync(join(dir, path), 'utf8');
const file = (path: string, text = 'table: x\n') => ({ path, text });
/** Whatever an import leaves beside the layer. */
const leftovers = ({ dir }: LayerFolder) =>
  [dir, join(dir, '.orgs')]
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => /^\.(?!orgs$)/.test(name));

describe('an import', () => {
  test('first copies the shared layer for an organization, then writes over its own', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const layer = app.get(semanticLayer);
    expect(await namesOf(app, 'acme')).toEqual(['customers', 'orders', 'stock']);

    const first = await layer.importLayer('acme', [file('entities/visits.yml', '# Mine.\ntable: visits\n')]);
    expect(first).toEqual({ changed: 1, isFirst: true });
    expect(await namesOf(app, 'acme')).toEqual(['customers', 'orders', 'stock', 'visits']);
    expect(await namesOf(app, null)).toEqual(['customers', 'orders', 'stock']);
    expect(await namesOf(app, 'other')).toEqual(['customers', 'orders', 'stock']);
    expect(read(folder, '.orgs/acme/entities/visits.yml')).toBe('# Mine.\ntable: visits\n');
    expect(existsSync(join(folder.dir, '.orgs/acme/README.md'))).toBe(false);

    folder.write('entities/late.yml', 'table: late\n');
    folder.write('.orgs/acme/notes.txt', 'Kept.');
    const again = await layer.importLayer('acme', [
      file('entities/visits.yml', 'table: calls\n'),
      file('catalog.yml', 'name: Shop\n'),
    ]);
    expect(again).toEqual({ changed: 1, isFirst: false });
    expect(await namesOf(app, 'acme')).toEqual(['calls', 'customers', 'orders', 'stock']);
    expect(read(folder, '.orgs/acme/notes.txt')).toBe('Kept.');
    expect(leftovers(folder)).toEqual([]);
  });

  test('writes the shared layer where there is no organization', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    expect(await namesOf(app, null)).toHaveLength(3);
    const files = [
      file('warehouse/metrics/stock.yml', 'metrics:\n  - { id: items, entity: stock, measure: count }\n'),
      file('entities/customers.yml', 'table: clients\nname: customers\n'),
    ];
    expect(await app.get(semanticLayer).importLayer(null, files)).toEqual({ changed: 2, isFirst: false });
    const model = await app.get(semanticLayer).modelFor(null);
    expect([model.entity('customers')?.table, model.metric('items')?.source]).toEqual(['clients', 'warehouse']);
    expect(read(folder, 'README.md')).toBe('Not part of the layer.\n');
    expect(leftovers(folder)).toEqual([]);
  });

  test.each([null, 'acme'])('deletes files together with writing others, for %s', async (orgId) => {
    using folder = layerFolder({ ...SHARED, '.orgs/acme/entities/visits.yml': 'table: visits\n' });
    await using app = await start(folder);
    const layer = app.get(semanticLayer);
    const path = orgId === null ? 'entities/orders.yml' : 'entities/visits.yml';
    const gone = { path, text: null };
    expect(await layer.importLayer(orgId, [gone, file('entities/more.yml', 'table: more\n')])).toMatchObject({
      changed: 2,
    });
    expect(await namesOf(app, orgId)).toEqual(orgId === null ? ['customers', 'more', 'stock'] : ['more']);
    expect(await layer.importLayer(orgId, [gone])).toMatchObject({ changed: 0 });
    // A layer may become empty.
    if (orgId !== null) await layer.importLayer(orgId, [{ path: 'entities/more.yml', text: null }]);
    expect(leftovers(folder)).toEqual([]);
  });

  test('refuses to delete what others need', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const deleted = app.get(semanticLayer).importLayer(null, [{ path: 'entities/customers.yml', text: null }]);
    await expect(deleted).rejects.toMatchObject({
      code: 'validation_error',
      details: [
        { path: 'entities/orders.yml:3:15', line: 3, column: 15, message: expect.stringContaining('customers') },
      ],
    });
    expect(await namesOf(app, null)).toHaveLength(3);
  });

  test.each([null, 'acme', 'new'])('is undone when what carries it out fails after it, for %s', async (orgId) => {
    using folder = layerFolder({ ...SHARED, '.orgs/acme/entities/visits.yml': 'table: visits\n' });
    await using app = await start(folder);
    const layer = app.get(semanticLayer);
    const before = await namesOf(app, orgId);
    const files = [file('entities/more.yml', 'table: more\n'), { path: 'warehouse/entities/stock.yml', text: null }];
    const seen: unknown[] = [];
    const commit = async (changes: readonly { path: string; before: Buffer | null }[], place: () => Promise<void>) => {
      seen.push(changes.map(({ path, before: text }) => [path, text?.toString() ?? null]));
      await place();
      const dir = join(folder.dir, orgId === null ? '.' : `.orgs/${orgId}`);
      seen.push(existsSync(join(dir, 'entities/more.yml')), existsSync(join(dir, 'warehouse/entities/stock.yml')));
      throw new Error('The disk is full.');
    };
    await expect(layer.importLayer(orgId, files, { commit })).rejects.toThrow('The disk is full.');
    const stock = orgId === 'acme' ? [] : [['warehouse/entities/stock.yml', 'table: stock\n']];
    expect(seen).toEqual([[['entities/more.yml', null], ...stock], true, false]);
    expect(await namesOf(app, orgId)).toEqual(before);
    expect(existsSync(join(folder.dir, '.orgs/new'))).toBe(false);
    expect(leftovers(folder)).toEqual([]);
  });

  test('is repeated when another process changes the layer at the same time', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    let times = 0;
    const commit = async (_: unknown, place: () => Promise<void>) => {
      times += 1;
      if (times < 3) folder.write('entities/theirs.yml', `table: theirs${times}\n`);
      await place();
    };
    const layer = app.get(semanticLayer);
    await layer.importLayer(null, [file('entities/ours.yml', 'table: ours\n')], { commit });
    expect([times, await namesOf(app, null)]).toEqual([3, ['customers', 'orders', 'ours', 'stock', 'theirs2']]);
  });

  test('works where there is no layer yet', async () => {
    using parent = layerFolder();
    const folder = { ...parent, dir: join(parent.dir, 'semantic') };
    await using app = await start(folder);
    await app.get(semanticLayer).importLayer(null, [file('entities/a.yml', 'table: a\n')]);
    expect(await namesOf(app, null)).toEqual(['a']);
  });

  test.each([
    ['a path out of the folder', [file('../evil.yml')], '"../evil.yml"'],
    ['one inside a path', [file('entities/../../evil.yml')], 'evil'],
    ['an absolute path', [file('/etc/entities/evil.yml')], '/etc'],
    ['a backslash', [file('entities\\evil.yml')], 'evil'],
    ['a drive', [file('c:/entities/evil.yml')], 'evil'],
    ['an empty part', [file('entities//evil.yml')], 'evil'],
    ['another organization', [file('.orgs/other/entities/evil.yml')], 'evil'],
    ['a hidden file', [file('entities/.evil.yml')], 'evil'],
    ['a control character', [file('entities/a\nb.yml')], 'entities/a'],
    ['NUL', [file('entities/a\0.yml')], 'entities/a'],
    ['a subfolder', [file('entities/deep/evil.yml')], 'evil'],
    ['a file of another kind', [file('notes.yml')], 'notes.yml'],
    ['a program', [file('entities/evil.sh')], 'evil.sh'],
    ['the source `default`', [file('default/entities/a.yml')], 'default'],
    ['a name that is too long', [file(`entities/${'ä'.repeat(119)}ää.yml`)], 'ä'],
    ['two names that are one', [file('entities/A.yml'), file('entities/a.yml')], 'the same file as entities/A.yml'],
    ['nothing', [], 'There are no files'],
    ['too many', Array.from({ length: MAX_FILES + 1 }, (_, index) => file(`entities/t${index}.yml`)), 'at most 5000'],
    ['a large file', [file('entities/a.yml', `table: ${'x'.repeat(600_000)}`)], '512 KiB'],
    ['half a character', [file('entities/a.yml', 'table: "\ud800"')], 'Unicode'],
    ['YAML that is broken', [file('entities/a.yml', 'table: [')], 'entities/a.yml:1:'],
    ['an unknown key', [file('entities/a.yml', 'table: a\nhiden: true\n')], 'entities/a.yml:2:1: Unknown key `hiden`'],
    [
      'a join that leads nowhere',
      [
        file(
          'entities/a.yml',
          'table: a\njoins:\n  - { target: nowhere, relationship: many_to_one, on: { from: x, to: y } }\n',
        ),
      ],
      'nowhere',
    ],
    [
      'what breaks another file',
      [file('entities/customers.yml', 'table: customers\nname: people\n')],
      'entities/orders.yml',
    ],
    ['a second entity of the same name', [file('entities/more.yml', 'table: more\nname: orders\n')], 'orders'],
  ])('refuses %s, together with the sound files beside it', async (_, files, says) => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const sent = files.length === 0 ? [] : [file('entities/fine.yml', 'table: fine\n'), ...files];
    for (const orgId of ['acme', null]) {
      const attempt = app.get(semanticLayer).importLayer(orgId, sent);
      await expect(attempt).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining('Nothing was changed'),
      });
      await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining(says) });
    }
    expect(await namesOf(app, 'acme')).toEqual(['customers', 'orders', 'stock']);
    expect([
      existsSync(join(folder.dir, '.orgs')),
      existsSync(join(folder.dir, '../evil.yml')),
      leftovers(folder),
    ]).toEqual([false, false, []]);
    expect(existsSync(join(folder.dir, 'entities/fine.yml'))).toBe(false);
  });

  test('is not stopped by what was broken before', async () => {
    using folder = layerFolder({ ...SHARED, 'entities/broken.yml': 'tabel: x\n' });
    await using app = await start(folder);
    await app.get(semanticLayer).importLayer('acme', [file('entities/fine.yml', 'table: fine\n')]);
    expect(await namesOf(app, 'acme')).toContain('fine');
  });

  test('gives entities without a connection the one that is named, and keeps their comments', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const long = `description: ${'word '.repeat(60)}end # why\n`;
    await app
      .get(semanticLayer)
      .importLayer(
        null,
        [
          file('entities/a.yml', `# First.\ntable: a\n${long}`),
          file('entities/b.yml', 'table: b\nconnection: other\n'),
          file('warehouse/entities/c.yml', 'table: c\n'),
        ],
        { connection: 'pg' },
      );
    expect(read(folder, 'entities/a.yml')).toBe(`# First.\ntable: a\n${long}connection: pg\n`);
    const model = await app.get(semanticLayer).modelFor(null);
    expect(['a', 'b', 'c'].map((name) => model.entity(name)?.connection)).toEqual(['pg', 'other', 'warehouse']);
  });

  test('does not write through links', async () => {
    using folder = layerFolder(SHARED);
    using elsewhere = layerFolder({ 'entities/orders.yml': 'table: foreign\n' });
    mkdirSync(join(folder.dir, '.orgs/acme'), { recursive: true });
    symlinkSync(join(elsewhere.dir, 'entities'), join(folder.dir, '.orgs/acme/entities'));
    symlinkSync(elsewhere.dir, join(folder.dir, '.orgs/linked'));
    await using app = await start(folder);
    for (const orgId of ['acme', 'linked']) {
      const attempt = app.get(semanticLayer).importLayer(orgId, [file('entities/orders.yml')]);
      await expect(attempt, orgId).rejects.toMatchObject({ code: 'conflict', reason: 'E_IMPORT_LINK' });
    }
    expect(read(elsewhere, 'entities/orders.yml')).toBe('table: foreign\n');
  });

  test('gives nothing of the shared layer to an organization whose folder is gone', async () => {
    using folder = layerFolder({ ...SHARED, '.orgs/acme/entities/own.yml': 'table: own\n' });
    await using app = await start(folder);
    folder.remove('.orgs/acme');
    await expect(namesOf(app, 'acme')).rejects.toMatchObject({ reason: 'E_SEMANTIC_LAYER_GONE' });
    await app.get(semanticLayer).importLayer('acme', [file('entities/new.yml', 'table: new\n')]);
    expect(await namesOf(app, 'acme')).toEqual(['new']);
  });

  test('that others run at the same time loses nothing', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const imports = Array.from({ length: 8 }, (_, index) =>
      app.get(semanticLayer).importLayer('acme', [file(`entities/t${index}.yml`, `table: t${index}\n`)]),
    );
    const results = await Promise.all(imports);
    expect(results.filter(({ isFirst }) => isFirst)).toHaveLength(1);
    expect(await namesOf(app, 'acme')).toHaveLength(11);
  });

  test('of an organization does not wait for those of another, however hard its files are to read', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const layer = app.get(semanticLayer);
    const hard = Array.from({ length: 4_000 }, (_, index) => `key${index}: &a${index} ${index}`).join('\n');
    const ended: string[] = [];
    const sent = [
      ['evil', Array.from({ length: 8 }, (_, index) => file(`entities/t${index}.yml`, hard))],
      ['evil', [file('entities/more.yml', hard)]],
      ['acme', [file('entities/large.yml', `table: large\ndescription: ${'x'.repeat(20_000)}\n`)]],
    ] as const;
    const settled = await Promise.allSettled(
      sent.map(([orgId, files]) => layer.importLayer(orgId, files).finally(() => ended.push(orgId))),
    );
    expect(ended).toEqual(['acme', 'evil', 'evil']);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('is refused while too much of the organization waits', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    const text = `terms: [] # ${'x'.repeat(400_000)}`;
    const imports = Array.from({ length: 15 }, () =>
      app.get(semanticLayer).importLayer('acme', [file('glossary.yml', text)]),
    );
    const other = app.get(semanticLayer).importLayer('other', [file('glossary.yml', text)]);
    const results = await Promise.allSettled(imports);
    expect(await other).toMatchObject({ changed: 1 });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(results.at(-1)).toMatchObject({ reason: { code: 'overloaded', retryAfterSeconds: 5 } });
    expect(await app.get(semanticLayer).importLayer('acme', [file('entities/a.yml')])).toMatchObject({ changed: 1 });
  });

  test('is tried again when a file is deleted that was about to be copied', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    let attempts = 0;
    const commit = async (_: unknown, place: () => Promise<void>) => {
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
      await place();
    };
    const imported = app.get(semanticLayer).importLayer(null, [file('entities/t.yml', 'table: t\n')], { commit });
    await expect(imported).resolves.toMatchObject({ changed: 1 });
    expect(attempts).toBe(2);
  });

  test('refuses the id of an organization that is no folder name', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    for (const orgId of ['..', '../other', 'a/b', '.import-x', '']) {
      await expect(app.get(semanticLayer).importLayer(orgId, [file('entities/a.yml')]), orgId).rejects.toMatchObject({
        reason: 'E_ORGANIZATION_UNMAPPED',
      });
    }
  });

  test('that was killed between its two moves is mended at the next start', async () => {
    using folder = layerFolder({ ...SHARED, '.orgs/acme/entities/own.yml': 'table: own\n' });
    renameSync(join(folder.dir, '.orgs/acme'), join(folder.dir, '.previous-acme'));
    await using app = await start(folder);
    expect(await namesOf(app, 'acme')).toEqual(['own']);
  });

  test('says that a folder cannot be written', async () => {
    using folder = layerFolder(SHARED);
    await using app = await start(folder);
    // A file in the way stops the administrator of the machine too.
    writeFileSync(join(folder.dir, '.orgs'), '');
    const attempt = app.get(semanticLayer).importLayer('acme', [file('entities/a.yml')]);
    await expect(attempt).rejects.toMatchObject({ code: 'configuration_error' });
    const full = Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    expect(unwritable(full)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('is full') });
  });
});
