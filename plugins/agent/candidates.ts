/**
 * Tries further statements of the model where the first one of a question fails or finds nothing, and takes the result
 * that most of them have. Source of the idea: Wang et al., "Self-consistency improves chain of thought reasoning", 2022.
 */
import type { ToolOutcome, ToolTable } from '../../kernel/index.ts';
import {
  type ExpectedResult,
  goldOrder,
  inGivenOrder,
  orderedGroups,
  resultDifference,
  unordered,
} from '../comparison-kit/index.ts';
import type { ToolCall } from '../model-kit/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import type { AnswerNote } from './api.ts';
import { isEmpty } from './tools/result-table.ts';
import { errorOf, withNote } from './tools/tool-outcome.ts';

/** Larger results take too long to compare, and agree with none. */
const MAX_CELLS = 1_000;
const MAX_COLUMNS = 12;
/** Assignments of columns that are tried: the server waits for them. */
const MAX_TRIED = 24;

export interface Attempts {
  /** Statements in all, the first one included. */
  readonly most: number;
  /** Asks the model again: its only call, if it made one; `undefined` where it may not be asked. */
  again(): Promise<{ readonly call: ToolCall | undefined } | undefined>;
  run(call: ToolCall): Promise<ToolOutcome>;
  dialectOf(connectionId: string | undefined): Promise<SqlDialect | undefined>;
}

interface Candidate {
  readonly outcome: ToolOutcome;
  readonly table: ToolTable;
  readonly rows: ExpectedResult;
  /** `undefined`: its statement says no order. */
  readonly ordered: ExpectedResult | undefined;
}

/** Whether a call failed that may succeed in another way, or brought nothing. */
export function isDoubtful(outcome: ToolOutcome): boolean {
  if (outcome.pendingAction !== undefined) return false;
  return errorOf(outcome) !== undefined || (outcome.table !== undefined && isEmpty(outcome.table));
}

export interface Choice {
  /** As the model gets it. */
  readonly outcome: ToolOutcome;
  /** As it came. */
  readonly chosen: ToolOutcome;
  readonly note?: AnswerNote;
}

/** The outcome that most candidates have, with what to note; the first one where no two have the same. */
export async function chosenOutcome(first: ToolOutcome, attempts: Attempts): Promise<Choice> {
  const error = errorOf(first);
  const why = error === undefined ? 'found nothing' : 'failed';
  const groups: Candidate[][] = [];
  const largest = () => groups.toSorted((one, other) => other.length - one.length);
  let tried = 1;
  await add(groups, first, attempts);
  while (tried < attempts.most && (largest()[0]?.length ?? 0) <= attempts.most / 2) {
    const asked = await attempts.again();
    if (asked === undefined) break;
    tried += 1;
    const outcome = asked.call && (await attempts.run(asked.call));
    // What fails every statement in the same way, an ambiguous term for instance, is no matter of the statement.
    if (outcome !== undefined && error !== undefined && errorOf(outcome) === error) break;
    if (outcome !== undefined) await add(groups, outcome, attempts);
  }
  const unchanged = { outcome: first, chosen: first };
  if (tried === 1) return unchanged;
  const [best = [], second = []] = largest();
  const [chosen] = best;
  const said = `${tried} candidates were tried, because the first statement ${why}`;
  if (chosen === undefined || best.length < 2 || best.length === second.length)
    return { ...unchanged, note: noteOf(`${said}: no two have the same result, and none was taken.`) };
  const note = noteOf(`Chosen among ${tried} candidates, ${best.length} of which agree: the first statement ${why}.`);
  if (chosen.outcome === first) return { ...unchanged, note };
  const { forModel } = chosen.outcome;
  const outcome = withNote(
    { ...chosen.outcome, forModel: { sql: chosen.table.sql, ...Object(forModel) } },
    `Your statement ${why}; this is the result on which ${best.length} of ${tried} statements for the question agree.`,
  );
  return { outcome, chosen: chosen.outcome, note };
}

const noteOf = (message: string): AnswerNote => ({ code: 'candidates', message });

/** Puts a result to those that it agrees with. What failed, or awaits approval, is no candidate. */
async function add(groups: Candidate[][], outcome: ToolOutcome, { dialectOf }: Attempts): Promise<void> {
  const { table } = outcome;
  if (table === undefined || errorOf(outcome) !== undefined) return;
  const dialect = await dialectOf(table.connectionId);
  await dialect?.load?.();
  const order = dialect && goldOrder(table.sql, dialect);
  const isKnown = order !== undefined && order.keys.length > 0 && !order.keys.includes('last');
  const inOrder = isKnown ? orderedGroups(table, order, table.rows.length) : inGivenOrder(table);
  const one = { outcome, table, rows: unordered(table), ordered: order && inOrder };
  const group = groups.find(([other]) => other !== undefined && agree(one, other));
  if (group === undefined) groups.push([one]);
  else group.push(one);
}

/** The same rows, in the same order where both statements say one. */
function agree(one: Candidate, other: Candidate): boolean {
  const isComparable = ({ table }: Candidate) =>
    !table.truncated && table.columns.length <= MAX_COLUMNS && table.rows.length * table.columns.length <= MAX_CELLS;
  if (!isComparable(one) || !isComparable(other)) return false;
  const isOrdered = one.ordered !== undefined && other.ordered !== undefined;
  const expected = (candidate: Candidate) => (isOrdered ? candidate.ordered : undefined) ?? candidate.rows;
  return (
    resultDifference(one.table, expected(other), MAX_TRIED) === undefined &&
    resultDifference(other.table, expected(one), MAX_TRIED) === undefined
  );
}
