import { describe, expect, test } from 'vitest';
import { describeChdb } from '../harness/chdb.ts';
import { findMariaDb, INSTALL_MARIADB } from '../harness/mariadb.ts';
import { suiteNeeding } from '../harness/require.ts';
import { asWritten } from './as-written.ts';
import { engines, openEngine } from './engines.ts';

const STATEMENTS = 400;

const hasMariaDb = suiteNeeding('mysql', findMariaDb() !== undefined, INSTALL_MARIADB);

for (const name of Object.keys(engines)) {
  const suite = name === 'mysql' ? hasMariaDb : name === 'clickhouse' ? describeChdb : describe;
  suite(`what a model wrote for ${name}`, () => {
    test('runs as written where it can be read, and else repaired and noted', async () => {
      const seed = Date.now() % 1_000_000;
      const engine = await openEngine(name);
      try {
        const { statements, read, repaired, failure } = await asWritten(engine, seed, STATEMENTS);
        expect(failure, `From seed ${seed}`).toBeUndefined();
        expect(statements).toBe(STATEMENTS);
        // A generator that writes nonsense, or nothing to repair, proves nothing.
        expect(read).toBeGreaterThan(STATEMENTS / 2);
        expect(repaired).toBeGreaterThan(STATEMENTS / 10);
      } finally {
        await engine.close();
      }
    }, 600_000);
  });
}
