/** What each feature costs a question: processor time of the whole server against the same server without the plugin. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, median } from './measure.ts';
import { measureLoad, noFigures, type Server, setUp } from './query.ts';

const FEATURES = ['audit', 'conversations', 'grounding', 'usage'];

/** The built-in composition without the plugin named in a variable. */
const CONFIG = `
import { defineConfig } from 'atlas-query';
import { readEnv, selfHosted } from 'atlas-query/presets/self-hosted';
export default defineConfig({
  plugins: selfHosted(readEnv(process.env).env).filter(({ definition }) => definition.name !== process.env.BENCH_WITHOUT),
});
`;

export const features: Bench = async () => {
  await using setup = await setUp();
  writeFileSync(join(setup.workspace.dir, 'atlas.config.ts'), CONFIG);
  const start = async (without = ''): Promise<Server> => {
    const DATABASE_URL = await setup.store('SQLite', `without_${without}`);
    return setup.start({ env: { DATABASE_URL, BENCH_WITHOUT: without } });
  };
  const servers = [await start()];
  for (const name of FEATURES) servers.push(await start(name));
  const figures = servers.map(noFigures);
  await measureLoad(setup, servers, figures);
  const [whole = 0, ...without] = figures.map(({ processorMs }) => median(processorMs));
  return [
    { what: 'processor time a question, stored on SQLite', value: whole, unit: 'ms' },
    ...FEATURES.map((name, index) => ({ what: `of that, ${name}`, value: whole - (without[index] ?? 0), unit: 'ms' })),
  ];
};
