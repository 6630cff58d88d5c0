/** Has an answer checked before it ends: the model corrects it once, and what remains is noted, or ends as no answer. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Scope } from '../../kernel/index.ts';
import type { AgentEvent, Answer } from './api.ts';
import type { AnswerFinding } from './hooks.ts';
import type { AnswerNotes } from './notes.ts';

/** Begins the paragraph in which a stream corrects its answer. */
export const CORRECTION = 'Correction: ';

/** The work on one question, as far as its review needs it. */
export interface ReviewedRun {
  readonly notes: AnswerNotes;
  /** Steps taken and tokens used so far. */
  readonly spent: () => Pick<Answer, 'steps' | 'usage'>;
  /** Goes on until an answer is reached. */
  steps(): AsyncGenerator<AgentEvent, void>;
  /** Adds messages for the next step; false when no step or no budget is left. */
  revise(messages: readonly LanguageModelV4Message[], withTools: boolean): Promise<boolean>;
}

type CheckAnswer = (answer: Answer) => Promise<readonly AnswerFinding[]>;

interface Checked {
  readonly answer: Answer;
  readonly findings: readonly AnswerFinding[];
}

const problems = ({ findings }: Checked) => findings.reduce((sum, { notes }) => sum + notes.length, 0);
const withheld = ({ findings }: Checked) => findings.find(({ instead }) => instead !== undefined)?.instead;

/**
 * The events of the run with one `finish`. A stream has shown its text when it is checked, so the corrected text follows as
 * a paragraph; without streaming only the final text is shown.
 */
export async function* reviewed(
  run: ReviewedRun,
  check: CheckAnswer,
  scope: Scope,
  isStreamed: boolean,
): AsyncGenerator<AgentEvent, void> {
  const first = yield* checkedAnswer(run, check, scope, isStreamed ? 'shown' : 'held');
  const second = yield* corrected(run, check, scope, first.checked);
  const last = second ?? first.checked;
  const instead = withheld(last);
  const answer = instead === undefined ? last.answer : { ...last.answer, text: instead, outcome: 'failed' as const };
  if (answer.text === first.checked.answer.text) yield* first.held;
  else {
    yield { type: 'text', text: isStreamed ? `\n\n${CORRECTION}${answer.text}` : answer.text };
  }
  for (const { notes } of last.findings) for (const note of notes) run.notes.add(note);
  yield { type: 'finish', answer: { ...answer, ...run.spent(), notes: [...run.notes.list] } };
}

/** `undefined`: the first answer stands, as nothing is to be corrected or the correction is no better. */
async function* corrected(
  run: ReviewedRun,
  check: CheckAnswer,
  scope: Scope,
  first: Checked,
): AsyncGenerator<AgentEvent, Checked | undefined> {
  const requests = first.findings.flatMap(({ correction }) => correction ?? []);
  if (requests.length === 0) return undefined;
  const needsTools = requests.some((request) => request.needsTools);
  const request = requests.map(({ request: text }) => text).join('\n\n');
  const messages: LanguageModelV4Message[] = [
    { role: 'assistant', content: [{ type: 'text', text: first.answer.text }] },
    { role: 'user', content: [{ type: 'text', text: request }] },
  ];
  if (!(await run.revise(messages, needsTools))) return undefined;
  try {
    const { checked } = yield* checkedAnswer(run, check, scope, 'dropped');
    const { outcome } = checked.answer;
    if (withheld(checked) !== undefined || outcome === 'failed') return undefined;
    const isBetter = withheld(first) !== undefined || (outcome === 'answered' && problems(checked) <= problems(first));
    return isBetter ? checked : undefined;
  } catch (error) {
    // There is an answer: a provider that fails now must not take it away.
    if (scope.signal.aborted) throw error;
    scope.log.warn({ error: (error as Error).message }, 'An answer could not be corrected.');
    return undefined;
  }
}

/** Runs to the next answer and checks it. Text that is held is shown as soon as anything follows it. */
async function* checkedAnswer(
  run: ReviewedRun,
  check: CheckAnswer,
  scope: Scope,
  texts: 'shown' | 'held' | 'dropped',
): AsyncGenerator<AgentEvent, { readonly checked: Checked; readonly held: readonly AgentEvent[] }> {
  let held: AgentEvent[] = [];
  for await (const event of run.steps()) {
    if (event.type === 'finish') return { checked: await checkedBy(check, scope, event.answer), held };
    if (event.type !== 'text' || texts === 'shown') {
      yield* held;
      held = [];
      yield event;
    } else if (texts === 'held') held.push(event);
  }
  throw new Error('The run ended without an answer.');
}

async function checkedBy(check: CheckAnswer, scope: Scope, answer: Answer): Promise<Checked> {
  if (answer.outcome !== 'answered') return { answer, findings: [] };
  try {
    return { answer, findings: await check(answer) };
  } catch (error) {
    if (scope.signal.aborted) throw error;
    scope.log.error({ error: (error as Error).message }, 'An answer could not be checked.');
    return { answer, findings: [] };
  }
}
