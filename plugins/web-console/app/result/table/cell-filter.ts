/** Reads what is typed into the filter of a column: a part of the text, or `>10`, `<=5`, `1..5` for numbers and dates. */

import { instantOf, plainText, type ResultColumn } from '../../../../chart-kit/index.ts';
import { NULL_SIGN } from '../cell-text.ts';
import { compareDecimals } from './row-order.ts';

export type CellFilter = (value: unknown) => boolean;

const COMPARISON = /^(>=|<=|!=|>|<|=)\s*(\S.*)$/;
/** Characters of a filter. */
export const MAX_FILTER = 200;

const NUMBER = /^[+-]?\d[\d,_' ]*(?:\.\d+)?$|^[+-]?\.\d+$/;

const TESTS: Readonly<Record<string, (order: number) => boolean>> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
};

/** How a cell stands to what was typed; `undefined` where what was typed is no number or date. */
function orderTo(typed: string, kind: ResultColumn['kind']): ((value: unknown) => number) | undefined {
  if (kind === 'number' || kind === 'digits') {
    if (!NUMBER.test(typed)) return undefined;
    const bound = typed.replace(/[,_' +]/g, '');
    return (value) => compareDecimals(String(value), bound);
  }
  if (kind !== 'date') return undefined;
  const bound = /^\d{4}$/.test(typed) ? instantOf(`${typed}-01`) : instantOf(typed);
  if (bound === undefined) return undefined;
  // A day that is typed means the whole day.
  return (value) => (String(value).startsWith(typed) ? 0 : (instantOf(String(value)) ?? Number.NaN) - bound);
}

function comparison(typed: string, kind: ResultColumn['kind']): CellFilter | undefined {
  const [, sign = '', bound = ''] = COMPARISON.exec(typed) ?? [];
  const order = orderTo(bound.trim(), kind);
  const test = TESTS[sign];
  return order && test && ((value) => test(order(value)));
}

function range(typed: string, kind: ResultColumn['kind']): CellFilter | undefined {
  const at = typed.indexOf('..');
  if (at < 0) return undefined;
  const [from, to] = [typed.slice(0, at).trim(), typed.slice(at + 2).trim()];
  const [lower, upper] = [from, to].map((bound) => (bound === '' ? () => 0 : orderTo(bound, kind)));
  if (from + to === '' || lower === undefined || upper === undefined) return undefined;
  return (value) => lower(value) >= 0 && upper(value) <= 0;
}

function contains(typed: string): CellFilter {
  const wanted = typed.toLowerCase();
  return (value) => plainText(value).toLowerCase().includes(wanted);
}

/** Nulls pass only the sign that they are shown with. */
export function cellFilter(typed: string, { kind }: Pick<ResultColumn, 'kind'>): CellFilter {
  const text = typed.trim();
  if (text === '') return () => true;
  if (text === NULL_SIGN) return (value) => value === null || value === undefined;
  const filter = comparison(text, kind) ?? range(text, kind) ?? contains(text);
  return (value) => value !== null && value !== undefined && filter(value);
}
