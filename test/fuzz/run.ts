/**
 * `npm run fuzz:sql -- --engine sqlite [--queries 20000] [--seed 1]`: the differential proof for as long as one likes;
 * with `--written` the proof that statements run as a model wrote them.
 */
import { parseArgs } from 'node:util';
import { asWritten } from './as-written.ts';
import { differential } from './differential.ts';
import { engines, openEngine } from './engines.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    queries: { type: 'string' },
    seed: { type: 'string' },
    written: { type: 'boolean' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const queries = Number(values.queries ?? 20_000);
const name = values.engine ?? '';
if (!Object.hasOwn(engines, name) || !Number.isSafeInteger(seed) || !(queries > 0)) {
  process.stderr.write(
    `Usage: npm run fuzz:sql -- --engine ${Object.keys(engines).join('|')} [--queries 20000] [--seed 1] [--written]\n`,
  );
  process.exit(2);
}
const engine = await openEngine(name);
process.stdout.write(`${name}: ${queries} statements from seed ${seed}\n`);
const startedAt = performance.now();
const { statements, failure, ...counts } = values.written
  ? await asWritten(engine, seed, queries)
  : await differential(engine, seed, queries);
await engine.close();
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
const shares = Object.entries(counts).map(([name, count]) => `${name} ${((100 * count) / statements).toFixed(1)} %`);
process.stdout.write(`${statements} statements in ${seconds} s: ${shares.join(', ')}.\n`);
if (failure !== undefined) {
  process.stdout.write(`\nA difference:\n${failure}\n`);
  process.exit(1);
}
process.stdout.write('No difference.\n');
