/** Asks one question of BIRD and scores the answer as BIRD does. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type App, AtlasError, messageOf, type Scope } from '../../../kernel/index.ts';
import type { Answer } from '../../agent/index.ts';
import { semanticLayer } from '../../semantic-layer/index.ts';
import { askCase, type CaseResult, type CaseRun, NO_STATEMENT, refusal, type Verdict } from '../run-case.ts';
import type { BirdQuestion } from './dev-set.ts';
import { evidenceTerms } from './evidence.ts';
import type { BirdData } from './layer.ts';
import { measure } from './measure.ts';
import { rewardOf } from './score.ts';

/** As often as BIRD measures, within the time that one question may take for it. */
const REPEATS = 100;
const REPEATS_MS = 5_000;
/** Longest wait until the layer shows the evidence of a question. */
const EVIDENCE_WAIT_MS = 5_000;
const POLL_MS = 20;

export interface BirdResult extends CaseResult {
  /** Why the guard refuses the gold statement; `null`: it does not. */
  readonly goldRefused: string | null;
  /** Time of the gold statement by that of the answer's; 0 unless the answer is right. */
  readonly timeRatio: number;
  readonly reward: number;
}

export const hashOf = ({ question, evidence, sql }: BirdQuestion): string =>
  createHash('sha256')
    .update(JSON.stringify([question, evidence, sql]))
    .digest('hex')
    .slice(0, 12);

/** Rejects only when the run is stopped. */
export async function runQuestion(run: CaseRun, data: BirdData, item: BirdQuestion): Promise<BirdResult> {
  const scored = { goldRefused: null as string | null, timeRatio: 0, reward: 0 };
  const { id, database, question, difficulty } = item;
  const asked = { id, question, schema: database, category: database, difficulty, hash: hashOf(item) };
  const result = await askCase(run, asked, async (scope) => {
    await showEvidence(run.app, data, item.evidence);
    scored.goldRefused = await goldRefusal(run.app, item.sql, scope);
    return async (answer) => {
      const { verdict, ratio } = await judged(answer, data.database, item.sql, scope.signal);
      Object.assign(scored, { timeRatio: Math.round(ratio * 1e4) / 1e4, reward: rewardOf(ratio) });
      return verdict;
    };
  });
  return { ...result, ...scored };
}

/** The layer looks for changes every now and then; the question must find its own evidence. */
async function showEvidence(app: App, data: BirdData, evidence: string): Promise<void> {
  data.setEvidence(evidence);
  const wanted = JSON.stringify(evidenceTerms(evidence).map(({ definition }) => definition));
  const endAt = performance.now() + EVIDENCE_WAIT_MS;
  for (;;) {
    const { glossary } = await app.get(semanticLayer).modelFor(null);
    if (JSON.stringify(glossary.map(({ definition }) => definition)) === wanted) return;
    if (performance.now() > endAt) {
      throw new AtlasError('The evidence of the question does not fit into the glossary.', { reason: 'E_BIRD' });
    }
    await wait(POLL_MS);
  }
}

async function goldRefusal(app: App, sql: string, scope: Scope): Promise<string | null> {
  try {
    await app.runSql({ sql, surface: 'cli' }, scope);
    return null;
  } catch (error) {
    scope.signal.throwIfAborted();
    return error instanceof AtlasError && error.code === 'sql_refused' ? messageOf(error) : null;
  }
}

async function judged(
  answer: Answer,
  database: string,
  gold: string,
  signal: AbortSignal,
): Promise<{ readonly verdict: Verdict; readonly ratio: number }> {
  const wrong = (verdict: Verdict) => ({ verdict, ratio: 0 });
  const refused = refusal(answer);
  if (refused !== undefined) return wrong(refused);
  const predicted = answer.data.at(-1)?.sql;
  if (predicted === undefined) return wrong(NO_STATEMENT);
  const measured = await measure({ database, predicted, gold, repeats: REPEATS, budgetMs: REPEATS_MS }, signal);
  if (measured === undefined)
    return wrong({ status: 'failed', reason: 'The statements did not end within 30 seconds.' });
  const { goldError, predictedError, isSame, ratio, goldRows, predictedRows } = measured;
  if (goldError !== undefined) throw new AtlasError(`The gold statement does not run: ${goldError}`);
  if (isSame) return { verdict: { status: 'passed', reason: null }, ratio };
  const reason =
    predictedError === undefined
      ? `The rows are not those of the gold statement (${predictedRows} rows, expected ${goldRows}).`
      : `The statement of the answer does not run by itself: ${predictedError}`;
  return wrong({ status: 'failed', reason });
}
