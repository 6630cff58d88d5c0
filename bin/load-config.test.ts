import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

describe('loadConfig', () => {
  const file = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), 'atlas-config-')), 'atlas.config.ts');
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['export default { plugins: [] as string[] };', undefined],
    ['export default {};', /has no plugins.*|plugins/],
    ['export default { plugins: [() => {}] };', /item 1 of plugins is not a plugin entry/],
    ['this is not TypeScript', /could not be loaded/],
    ['import "./nowhere.ts";', /could not be loaded: Cannot find module '\S+nowhere\.ts' imported from \S+$/],
  ])('%s', async (text, error) => {
    const loaded = loadConfig(file(text));
    if (error === undefined) expect(await loaded).toEqual({ plugins: [] });
    else await expect(loaded).rejects.toThrow(error);
  });
});
