/** Finds the figures of an answer that neither its results nor its question explain. */
import type { ToolTable } from '../../kernel/index.ts';
import {
  settleGroups,
  settlePairs,
  settlePoints,
  settleRows,
  settleStatedShares,
  settleStatistics,
  settleThresholds,
  settleUnits,
  singles,
  type Work,
} from './derivations.ts';
import type { Figure } from './figure.ts';
import { figuresIn } from './figures.ts';
import { MAX_COMPARISONS, type OpenFigures, openFigures } from './matching.ts';
import { mentionsIn } from './mentions.ts';
import { numberOf, type ScannedTable, scan, settleTotals } from './results.ts';

export interface Material {
  readonly text: string;
  readonly tables: readonly ToolTable[];
  /** The question and what was said before, by user and assistant. */
  readonly said: readonly string[];
  /** What else the model read; only asked for where figures are left. */
  readonly context: () => readonly string[];
}

export interface Grounding {
  /** Figures that nothing explains, in order. */
  readonly ungrounded: readonly Figure[];
  /** Steps of work done beyond reading text and cells, for tests. */
  readonly work: number;
  /** Comparisons of values with figures, for tests. */
  readonly comparisons: number;
}

/** Cells read of all tables. Where there are more, no figure counts as ungrounded. */
const MAX_CELLS = 100_000;
/** Numbers that stand side by side and may be one; later ones are not looked for by themselves. */
const MAX_PARTS = 1_600;
/** Steps of derivation; see `Work`. */
const MAX_WORK = 16_000;
/** What is read of the model's instructions, all texts together. */
const MAX_CONTEXT_CHARS = 65_536;
/** Text with digits that is read of all cells; a text that is repeated counts once. */
const MAX_CELL_CHARS = 250_000;
/** A longer text is no single number. */
const MAX_GROUPED_CHARS = 40;
const MAX_NAMED = 40;
const MAX_LINES = 2_000;
const ROWS = /\b(?:rows?|Zeilen?|lignes?|filas?|righe|linhas?)\b/i;
const LIMITS_AND_DATES = /\b(?:limit|offset|top|fetch\s+(?:first|next))\s+\d+|\d{4}-\d{2}(?:-\d{2})?/gi;
const LITERALS = /(?<![\w.])\d+(?:\.\d+)?(?!\w)/g;
const NUMBERS = /\d+(?:[.,'’ \u00a0\u202f]\d+)*/g;

export function grounding(material: Material): Grounding {
  const all = figuresIn(material.text);
  const none = { ungrounded: [], work: 0, comparisons: 0 };
  if (all.length === 0) return none;
  // `12 345` is one number, or two that stand side by side.
  const figures = openFigures([...all, ...all.flatMap(({ parts }) => parts).slice(0, MAX_PARTS)]);
  const work: Work = { left: MAX_WORK };
  settle(material, all, figures, work);
  const left = all.filter(
    (figure) =>
      figures.open.has(figure) && (figure.parts.length === 0 || figure.parts.some((part) => figures.open.has(part))),
  );
  const cells = material.tables.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0);
  const { comparisons } = figures;
  // What was not compared with everything may well be right.
  if (cells > MAX_CELLS || comparisons > MAX_COMPARISONS) return { ...none, comparisons };
  return { ungrounded: left, work: MAX_WORK - work.left, comparisons };
}

/** From what is cheap and certain to what is derived; ends as soon as every figure is explained. */
function settle(
  { text, tables, said, context }: Material,
  stated: readonly Figure[],
  figures: OpenFigures,
  work: Work,
): void {
  const isDone = () => figures.open.size === 0;
  let cells = MAX_CELLS;
  const scanned = tables.map((table) => {
    const result = scan(table, figures, cells);
    cells -= Math.min(cells, table.rows.length * table.columns.length);
    return result;
  });
  if (isDone()) return;
  for (const table of scanned) settleTotals(table, figures);
  const named = said.flatMap(numbersIn).slice(0, MAX_NAMED);
  for (const value of named) figures.settle(value);
  const listed = listLengths(text);
  for (const counted of [...listed, ...namesInARow(text)]) figures.settle(counted);
  if (isDone()) return;
  settleTexts(scanned, figures);
  for (const { sql } of tables) for (const value of conditionsOf(sql)) figures.settle(value);
  if (isDone()) return;
  const limits = limitsMet(tables, text);
  for (const value of valuesIn(context().join('\n').slice(0, MAX_CONTEXT_CHARS))) {
    if (!limits.includes(value)) figures.settle(value);
  }
  if (isDone()) return;
  const mentions = mentionsIn([text, said.at(-1) ?? '']);
  for (const table of scanned) settleStatistics(table, mentions, figures, work);
  for (const table of scanned) settleRows(table, mentions, figures, work);
  settlePairs([...new Set([...singles(scanned), ...named, ...listed])], figures, work, 'quotient');
  if (isDone()) return;
  const thresholds = [...new Set([...numbersIn(text), ...named])];
  for (const table of scanned.filter((one) => !one.table.truncated)) {
    settleGroups(table, mentions, figures, work);
    settleThresholds(table, thresholds, mentions, figures, work);
  }
  settleStatedShares(stated, scanned, figures);
  settlePoints(stated, figures);
  if (!isDone()) settleUnits(unitValues(scanned), text, [...named, ...numbersIn(text)], figures);
}

/** The lengths of results that are cut: the instructions name the limit, which is no count of anything but rows. */
const limitsMet = (tables: readonly ToolTable[], text: string): number[] =>
  ROWS.test(text) ? [] : tables.flatMap(({ rows, truncated }) => (truncated ? [rows.length] : []));

/** Numbers that a statement compares with: what it is about, such as "the last 90 days". Limits and dates are none. */
const conditionsOf = (sql: string): number[] =>
  (sql.slice(0, 65_536).replace(LIMITS_AND_DATES, ' ').match(LITERALS) ?? []).map(Number);

const valuesIn = (text: string): number[] =>
  figuresIn(text).flatMap(({ readings, isPercent }) =>
    readings.flatMap(({ value }) => (isPercent ? [value, value / 100] : [value])),
  );

/** Every number of a text, also in dates and behind "top". */
function numbersIn(text: string): number[] {
  const plain = (text.slice(0, 65_536).match(NUMBERS) ?? []).flatMap((found) => found.split(/[^\d]/).map(Number));
  return [...valuesIn(text), ...plain];
}

/** Numbers inside texts, such as `Plan 12`; of a date only its year. */
function settleTexts(tables: readonly ScannedTable[], figures: OpenFigures): void {
  const read = new Set<unknown>();
  let chars = MAX_CELL_CHARS;
  for (const { table, labels } of tables) {
    for (const label of labels) {
      for (const row of table.rows) {
        const cell = row[label];
        if (typeof cell !== 'string' || cell.length > 256 || read.has(cell)) continue;
        read.add(cell);
        chars -= cell.length;
        if (chars < 0 || figures.open.size === 0) return;
        const found = /^\d{4}-\d{2}/.test(cell) ? [cell.slice(0, 4)] : (cell.match(/\d+(?:\.\d+)?/g) ?? []);
        for (const number of found) figures.settle(Number(number));
        // A version or telephone number, however the answer groups its digits.
        if (found.length > 1 && cell.length <= MAX_GROUPED_CHARS) figures.settle(Number(cell.replace(/\D/g, '')));
      }
    }
  }
}

/** How many items the answer lists: lines with a marker, rows of a table. */
function listLengths(text: string): number[] {
  const lines = text.split('\n', MAX_LINES);
  const items = lines.filter((line) => /^\s*(?:[-*•–]|\(?\d{1,3}[.)])\s/.test(line)).length;
  const rows = lines.filter((line) => /^\s*\|/.test(line)).length - 2;
  return [items, rows].filter((length) => length > 1);
}

/** How many names a line gives, between commas. */
function namesInARow(text: string): number[] {
  const lengths = text.split('\n', MAX_LINES).map((line) => line.split(/,\s|\s(?:and|und|et|y|e|or|oder)\s/).length);
  return lengths.filter((length) => length > 2);
}

/** Totals, and the cells of short tables: what answers convert to other units. */
function unitValues(tables: readonly ScannedTable[]): number[] {
  return tables.flatMap(({ table, numbers, stated }) => {
    const rows = [...new Set([...stated, 0, 1, 2])].flatMap((index) =>
      table.rows[index] === undefined ? [] : [table.rows[index]],
    );
    const cells = rows.slice(0, 12).flatMap((row) => numbers.map(({ name }) => numberOf(row[name])));
    return table.truncated ? cells : [...cells, ...numbers.flatMap(({ sum, count }) => [sum, sum / count])];
  });
}
