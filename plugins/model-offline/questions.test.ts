import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { corpusNames, judge, readCorpus } from '../../test/harness/question-corpus.ts';
import type { Row } from '../../test/harness/same-rows.ts';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import { CLINIC } from './clinic.questions.ts';
import { readQuestion } from './conversation.ts';
import { clinicDatabase, saasDatabase } from './corpus.fixture.ts';
import { ask } from './evaluation.fixture.ts';
import { SAAS } from './saas.questions.ts';

const now = new Date('2025-12-15T10:00:00Z');
const layerAt = (name: string) => loadSemanticLayer(join(import.meta.dirname, 'fixtures', name));

describe('questions over layers of its own', () => {
  it.each([
    ['clinic', clinicDatabase, CLINIC],
    ['saas', saasDatabase, SAAS],
  ] as const)('answers %s with the rows of hand-written SQL', async (name, createDatabase, questions) => {
    const model = await layerAt(name);
    const database = createDatabase();
    expect(model.problems).toEqual([]);
    const verdicts = questions.map(([question, sql]) => ask(question, sql, model, database, now));
    expect(verdicts.filter((item) => item.verdict === 'wrong' || item.verdict === 'refused')).toEqual([]);
  });
});

describe('questions written by somebody else', () => {
  it.each(corpusNames())('answers 85 in 100 of %s, and none wrongly', async (name) => {
    const corpus = readCorpus(name);
    const folder = mkdtempSync(join(tmpdir(), 'atlas-questions-'));
    try {
      const path = join(folder, 'data.db');
      await corpus.createDatabase(path);
      const database = new Database(path, { readonly: true });
      const run = (sql: string) => database.prepare(sql).all() as Row[];
      const model = await loadSemanticLayer(corpus.layer);
      const verdicts = corpus.questions.map((question) => {
        const reading = readQuestion([...question.history, question.question], model, { now: corpus.now });
        if (reading.kind !== 'plan')
          return {
            question,
            verdict: judge(question, { outcome: reading.kind === 'clarify' ? 'clarify' : 'unclear' }, run),
          };
        const rows = run(compileQuery(model, reading.plan, { dialect: 'sqlite' }).sql);
        return { question, verdict: judge(question, { outcome: 'rows', rows }, run) };
      });
      database.close();
      expect(verdicts.filter((item) => item.verdict === 'wrong').map((item) => item.question.question)).toEqual([]);
      expect(verdicts.filter((item) => item.verdict === 'right').length / verdicts.length).toBeGreaterThanOrEqual(0.85);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
