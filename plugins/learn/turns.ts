/** Tells which questions a statement answers, by the conversations in which it was run and what was said of its answer. */
import type { AskedQuestion } from '../conversations/index.ts';
import type { LoggedStatement, Turn } from './log.ts';

/** A statement that a person writes within this time of an answer is taken for a correction of it. */
const EDIT_MS = 30 * 60_000;
/** Of longer texts, what is asked stands at the beginning; all words of thousands of them would take long to count. */
const MAX_CHARS = 500;

/** `personOf`: who counts as one person. */
export function turnsOf(asked: readonly AskedQuestion[], personOf: (whose: AskedQuestion) => string): Turn[] {
  const turns: Turn[] = [];
  for (const question of asked) {
    const { conversationId, at, text } = question;
    const last = turns.at(-1);
    const before = last?.conversationId === conversationId ? last : undefined;
    const chosen = /^\d+$/.test(text) ? before?.answer?.choices[Number(text) - 1] : undefined;
    const sign = { id: `${conversationId} ${at}`, person: personOf(question), day: at.slice(0, 10) };
    turns.push({ ...question, ...sign, text: (chosen ?? text).slice(0, MAX_CHARS), before });
  }
  return turns;
}

const isBad = (turn: Turn) => turn.answer?.feedback?.rating === 'bad';

/** The questions that a statement answers: its own, and one before that was not answered, or not well. */
export function questionsOf({ turn }: Pick<LoggedStatement, 'turn'>): string[] {
  if (turn === undefined) return [];
  const { text, before } = turn;
  const { outcome = 'answered' } = before?.answer ?? {};
  return before !== undefined && (isBad(before) || outcome !== 'answered') ? [text, before.text] : [text];
}

/** The statements with their questions. */
export function withTurns(statements: readonly LoggedStatement[], turns: readonly Turn[]): LoggedStatement[] {
  const byConversation = Map.groupBy(turns, ({ conversationId }) => conversationId);
  const byUser = Map.groupBy(turns, userOf);
  for (const own of byUser.values()) own.sort((a, b) => (a.at < b.at ? -1 : 1));
  const rejected = new Set<LoggedStatement>();
  /** The last statement of an answer. */
  const answers = new Map<Turn, LoggedStatement>();
  const linked = statements.map((statement) => {
    const { entry } = statement;
    const isBefore = ({ at }: Turn) => at <= entry.timestamp;
    const turn = byConversation.get(entry.conversationId ?? '')?.findLast(isBefore);
    if (turn !== undefined) {
      const own = { ...statement, turn };
      if (entry.success) answers.set(turn, own);
      if (isBad(turn)) rejected.add(own);
      return own;
    }
    const last = byUser.get(userOf(entry))?.findLast(isBefore);
    const answer = last && answers.get(last);
    if (last === undefined || !isCorrection(statement, last, answer)) return statement;
    if (answer !== undefined && last.answer?.feedback?.rating !== 'good') rejected.add(answer);
    return { ...statement, turn: last };
  });
  return linked.map((statement) => ({ ...statement, isRejected: rejected.has(statement) }));
}

const userOf = ({ userId, orgId }: Pick<Turn, 'userId' | 'orgId'>) => JSON.stringify([orgId, userId]);

/** Whether a person wrote the statement soon after the question, over a table of its answer and with another structure. */
function isCorrection(statement: LoggedStatement, { at }: Turn, answer: LoggedStatement | undefined): boolean {
  const { surface, conversationId, success, timestamp } = statement.entry;
  if (surface !== 'api' || conversationId !== null || !success) return false;
  if (Date.parse(timestamp) - Date.parse(at) > EDIT_MS) return false;
  if (answer === undefined) return true;
  if (statement.use.entities.isDisjointFrom(answer.use.entities)) return false;
  return statement.shape !== answer.shape;
}
