/** Questions over layers that the reader must not know: no wrong rows, and most of what can be answered is. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { CLINIC } from './clinic.questions.ts';
import { clinicDatabase, saasDatabase } from './corpus.fixture.ts';
import { ask } from './evaluation.fixture.ts';
import { lendingDatabase } from './lending.fixture.ts';
import { LENDING } from './lending.questions.ts';
import { SAAS } from './saas.questions.ts';

const earlier = new Date('2025-12-15T10:00:00Z');
const later = new Date('2026-11-21T12:00:00Z');

describe('questions with known answers', () => {
  it.each([
    ['clinic', clinicDatabase, CLINIC, earlier, 0.95],
    ['saas', saasDatabase, SAAS, earlier, 0.95],
    ['lending', lendingDatabase, LENDING, later, 0.75],
  ] as const)(
    'answers %s with the rows of hand-written SQL, or not',
    async (name, createDatabase, questions, now, share) => {
      const model = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', name));
      const database = createDatabase();
      expect(model.problems).toEqual([]);
      const verdicts = questions.map(([question, sql]) => ask(question, sql, model, database, now));
      expect(verdicts.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
      const answerable = verdicts.filter((_, i) => questions[i]![1] !== null);
      expect(answerable.filter(({ verdict }) => verdict === 'right').length / answerable.length).toBeGreaterThanOrEqual(
        share,
      );
    },
  );
});
