/** Reads, compiles and runs a corpus with the offline model, without a server in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { offlineReader } from '../../plugins/model-offline/index.ts';
import { loadSemanticLayer } from '../../plugins/semantic-layer/index.ts';
import { compileQuery } from '../../plugins/semantic-query/index.ts';
import { kitDialect } from '../../plugins/sql-kit/index.ts';
import { type Answer, type CorpusQuestion, judge, readCorpus } from './question-corpus.ts';
import type { Row } from './same-rows.ts';

const sqlite = await kitDialect('sqlite');

const { readQuestion } = await offlineReader();

export interface Judged {
  readonly question: CorpusQuestion;
  readonly verdict: 'right' | 'missed' | 'wrong';
  /** What came instead, for reports. */
  readonly note: string;
}

export async function judgeCorpus(name: string): Promise<Judged[]> {
  const corpus = readCorpus(name);
  const folder = mkdtempSync(join(tmpdir(), 'atlas-corpus-'));
  const path = join(folder, 'data.db');
  await corpus.createDatabase(path);
  const database = new Database(path, { readonly: true });
  const run = (sql: string) => database.prepare(sql).all() as Row[];
  const model = await loadSemanticLayer(corpus.layer);
  const answer = (question: CorpusQuestion): Answer & { readonly note: string } => {
    const reading = readQuestion([...question.history, question.question], model, { now: corpus.now });
    if (reading.kind === 'clarify') return { outcome: 'clarify', note: reading.question };
    if (reading.kind !== 'plan') return { outcome: 'unclear', note: JSON.stringify(reading).slice(0, 300) };
    const { sql } = compileQuery(model, reading.plan, { dialect: sqlite });
    return { outcome: 'rows', rows: run(sql), note: sql };
  };
  try {
    return corpus.questions.map((question) => {
      try {
        const given = answer(question);
        return { question, verdict: judge(question, given, run), note: `${given.outcome}: ${given.note}` };
      } catch (error) {
        return { question, verdict: 'missed', note: `error: ${(error as Error).message}` };
      }
    });
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
