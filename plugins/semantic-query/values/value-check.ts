/** Objects to a query that compares a column with a text which is none of the values that the layer lists for it. */
import type { QueryObjection } from '../../agent/index.ts';
import {
  type ModelDimension,
  type QueryReading,
  translatedValues,
  translationsOfValues,
} from '../../semantic-layer/index.ts';
import { truncate } from '../../text-kit/index.ts';
import { comparedValues } from './compared-values.ts';
import { nearValues } from './near-values.ts';

const MAX_OBJECTIONS = 5;
const MAX_SHOWN_VALUES = 10;
const MAX_VALUE_CHARS = 60;

const shown = (text: string) => truncate(text, MAX_VALUE_CHARS);

/** Whether the samples are all values that the column has. */
function isComplete({ unique_count, sample_values = [] }: ModelDimension): boolean {
  return unique_count !== undefined && unique_count <= sample_values.length;
}

/** With those that have a translation. */
const listedTexts = (dimension: ModelDimension): ReadonlySet<string> => {
  const texts = (dimension.sample_values ?? []).filter((sample) => typeof sample === 'string');
  return new Set([...texts, ...translationsOfValues(dimension).map(([known]) => known)]);
};

/** Told where a value is near, or the list is complete. */
export function valueObjections({ sql, tables, select }: QueryReading): QueryObjection[] {
  const statement = sql.includes("'") ? select() : undefined;
  if (statement === undefined) return [];
  const objections: QueryObjection[] = [];
  const listed = new Map<ModelDimension, ReadonlySet<string>>();
  for (const { entity, dimension, value } of comparedValues(statement, tables)) {
    const known = listed.get(dimension) ?? listedTexts(dimension);
    listed.set(dimension, known);
    if (known.size === 0 || known.has(value)) continue;
    const samples = [...known];
    const near = [...new Set([...translatedValues(dimension, value), ...nearValues(value, samples)])];
    if (near.length === 0 && !isComplete(dimension)) continue;
    const told = [...near, ...samples.filter((sample) => !near.includes(sample))].slice(0, MAX_SHOWN_VALUES);
    const name = `${entity.name}.${dimension.name}`;
    objections.push({
      message: `No value ${JSON.stringify(shown(value))} is listed for ${name}.`,
      hint: `Listed${isComplete(dimension) ? '' : ' are, among others'}: ${told.map((text) => JSON.stringify(shown(text))).join(', ')}. findValues searches all. Run the query again only if the value is meant as it is.`,
    });
    if (objections.length === MAX_OBJECTIONS) break;
  }
  return objections;
}
