/** Objects to a query that compares a column with a text which is none of the values that the layer lists for it. */
import { nearest } from '../../../kernel/index.ts';
import type { QueryObjection } from '../../agent/index.ts';
import type { ModelDimension, QueryReading } from '../../semantic-layer/index.ts';
import { comparedValues } from './compared-values.ts';

const MAX_OBJECTIONS = 5;
const MAX_SHOWN_VALUES = 10;
const MAX_VALUE_CHARS = 60;

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
const shown = (text: string) => (text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}…`);

/** The listed values that are written almost like `value`, the nearest first. */
function nearValues(value: string, samples: readonly string[]): string[] {
  const wanted = plain(value);
  const same = samples.filter((sample) => plain(sample) === wanted);
  const near = nearest(value, samples);
  const longer = samples.filter((sample) => {
    const [a, b] = [plain(sample), wanted].sort((left, right) => left.length - right.length) as [string, string];
    return a.length >= 3 && b.startsWith(a);
  });
  return [...new Set([...same, ...(near === undefined ? [] : [near]), ...longer])];
}

/** Whether the samples are all values that the column has. */
function isComplete({ unique_count, sample_values = [] }: ModelDimension): boolean {
  return unique_count !== undefined && unique_count <= sample_values.length;
}

/**
 * Near values are told before the query runs; otherwise the listed values with an empty result, as the list may not be
 * complete.
 */
export function valueObjections({ sql, tables, select }: QueryReading): QueryObjection[] {
  const statement = sql.includes("'") ? select() : undefined;
  if (statement === undefined) return [];
  const objections: QueryObjection[] = [];
  for (const { entity, dimension, value } of comparedValues(statement, tables)) {
    const samples = (dimension.sample_values ?? []).filter((sample) => typeof sample === 'string');
    if (samples.length === 0 || samples.includes(value)) continue;
    const near = nearValues(value, samples);
    const told = [...near, ...samples.filter((sample) => !near.includes(sample))].slice(0, MAX_SHOWN_VALUES);
    const name = `${entity.name}.${dimension.name}`;
    objections.push({
      message: `No value ${JSON.stringify(shown(value))} is listed for ${name}.`,
      hint: `Listed${isComplete(dimension) ? '' : ' are, among others'}: ${told.map((text) => JSON.stringify(shown(text))).join(', ')}. findValues searches all. Run the query again only if the value is meant as it is.`,
      ...(near.length === 0 && !isComplete(dimension) && { onlyWhenEmpty: true }),
    });
    if (objections.length === MAX_OBJECTIONS) break;
  }
  return objections;
}
