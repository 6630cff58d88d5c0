/** Questions over layers that the reader must not know: no wrong rows, and most of what can be answered is. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { CLINIC } from './clinic.questions.ts';
import { clinicDatabase, saasDatabase } from './corpus.fixture.ts';
import { ask } from './evaluation.fixture.ts';
import { cinemaDatabase, fleetDatabase } from './everyday.fixture.ts';
import { CINEMA, FLEET } from './everyday.questions.ts';
import { lendingDatabase } from './lending.fixture.ts';
import { LENDING } from './lending.questions.ts';
import { SAAS } from './saas.questions.ts';

const earlier = new Date('2025-12-15T10:00:00Z');
const later = new Date('2026-11-21T12:00:00Z');

const CORPORA = [
  ['clinic', clinicDatabase, CLINIC, earlier],
  ['saas', saasDatabase, SAAS, earlier],
  ['lending', lendingDatabase, LENDING, later],
  ['fleet', fleetDatabase, FLEET, earlier],
  ['cinema', cinemaDatabase, CINEMA, earlier],
] as const;

it('answers with the rows of hand-written SQL, or not', async () => {
  const judged: [verdict: string, sql: string | null, question: string][] = [];
  for (const [name, createDatabase, questions, now] of CORPORA) {
    const model = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', name));
    const database = createDatabase();
    expect(model.problems).toEqual([]);
    for (const [question, sql] of questions) {
      const { verdict, detail } = ask(question, sql, model, database, now);
      judged.push([verdict, sql, `${question}: ${detail}`]);
    }
  }
  expect(judged.filter(([verdict]) => verdict === 'wrong')).toEqual([]);
  const answerable = judged.filter(([, sql]) => sql !== null);
  expect(answerable.filter(([verdict]) => verdict === 'right').length / answerable.length).toBeGreaterThanOrEqual(0.75);
});
