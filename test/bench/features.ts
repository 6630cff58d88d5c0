/** What each feature costs a question: processor time of the whole server against the same server without the plugin. */
import { type Bench, median } from './measure.ts';
import { measureLoad, noFigures, type Server, setUp } from './query.ts';
import { writeLeavingOut } from './workspace.ts';

const FEATURES = ['audit', 'conversations', 'grounding', 'usage'];

export const features: Bench = async () => {
  await using setup = await setUp();
  writeLeavingOut(setup.workspace);
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
