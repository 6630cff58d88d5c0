/** Values are literals in every dialect, whatever they hold, and stand only where a value can. */
import { describe, expect, it } from 'vitest';
import { createModel, type ModelVerifiedQuery } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, kitDialects, parseStatement, printSelect } from '../sql-kit/index.ts';
import { statementOf } from './statement.ts';

const dialects = await kitDialects();

const model = createModel({ entities: [], metrics: [], glossary: [], catalog: undefined }, 1, []);
const query = (sql: string): ModelVerifiedQuery => ({ name: 'q', question: 'Q', sql, file: '', source: 'default' });
const HOSTILE = `x' OR '1'='1'; DROP TABLE t; -- \\' :n`;

describe.each([...dialects])('%s', (_, dialect) => {
  it('binds a hostile value as one text, numbers, both ends of a period, and NULL', async () => {
    const sql = `SELECT a FROM t WHERE b = :value AND (:none IS NULL OR c = :none) AND d >= :p_from AND d < :p_to AND e = ':n' LIMIT :n`;
    const values = { value: HOSTILE, none: null, p: { from: '2024-01-01', to: '2025-01-01' }, n: 5 };
    const written = await statementOf(query(sql), values, model, dialect);
    // Names without quotes are in capitals on some engines.
    expect(written.toLowerCase()).toContain(
      `and (null is null or c = null) and d >= '2024-01-01' and d < '2025-01-01' and e = ':n' limit 5`,
    );
    // It is read as it was meant: the same statement, with one text in that place.
    const read = parseStatement(written, dialect, DEFAULT_LIMITS);
    expect(JSON.stringify(read)).toContain(`"value":${JSON.stringify(HOSTILE)}`);
    expect(printSelect(read, dialect)).toBe(written);
  });

  it('leaves a statement without parameters as it is, and refuses unknown ones and names', async () => {
    const plain = 'SELECT  a\nFROM t -- :n';
    expect(await statementOf(query(plain), { n: 1 }, model, dialect)).toBe(plain);
    await expect(statementOf(query('SELECT :other AS a FROM t'), {}, model, dialect)).rejects.toThrow(
      'no parameter "other"',
    );
    await expect(statementOf(query('SELECT a FROM :value'), { value: 't' }, model, dialect)).rejects.toThrow();
  });
});
