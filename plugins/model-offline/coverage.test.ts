/** Nothing that a question says is left out: its rows are those of hand-written SQL, or it is not answered. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparisonOf, type Row, rowsDifference } from '../../test/harness/same-rows.ts';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import { readQuestion } from './conversation.ts';
import { lendingDatabase } from './lending.fixture.ts';
import { LENDING } from './lending.questions.ts';

const now = new Date('2026-11-21T12:00:00Z');

describe('a layer that the reader was not written for', async () => {
  const model = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'lending'));
  const database = lendingDatabase();

  it.each(LENDING)('%s', (question, sql) => {
    const reading = readQuestion(question.split(' >> '), model, { now });
    if (sql === null) {
      expect(reading.kind).not.toBe('plan');
      return;
    }
    if (reading.kind !== 'plan') throw new Error(`Not read: ${JSON.stringify(reading)}`);
    const rows = database.prepare(compileQuery(model, reading.plan, { dialect: 'sqlite' }).sql).all() as Row[];
    expect(rowsDifference(rows, database.prepare(sql).all() as Row[], comparisonOf(sql))).toBeUndefined();
  });
});
