/** Conditions named together, "in Berlin and Austria", "delivered or lost": whether they are alternatives. */
import type { PlanFilter } from '../semantic-query/index.ts';
import type { Condition } from './draft.ts';
import type { Lexicon } from './lexicon.ts';

/** One condition as the plan has it. */
export interface Way {
  readonly filters: PlanFilter[];
  readonly segments: string[];
}

export interface Enumeration {
  /** The one entity that all of them are about. */
  readonly entity: string | undefined;
  /** Values of one dimension. */
  readonly isSameDimension: boolean;
  /** No row can meet them all, or they stand in one phrase: any of them will do. */
  readonly isUnion: boolean;
}

export const isNamedTogether = (condition: Condition): boolean =>
  condition.or === true || (condition.type === 'is' && condition.and !== undefined);

export function enumerationOf(
  ways: readonly (Way | undefined)[],
  run: readonly Condition[],
  lexicon: Lexicon,
): Enumeration {
  const plain = ways.filter((way) => way !== undefined);
  if (plain.length < ways.length) return { entity: undefined, isSameDimension: false, isUnion: false };
  const entities = new Set(
    plain.flatMap((way) => [
      ...way.filters.map((one) => owner(one.dimension)),
      ...way.segments.map((name) => ownerOfSegment(name, lexicon)),
    ]),
  );
  const entity = entities.size === 1 ? [...entities][0] : undefined;
  const columns = plain.map((way) => columnsOf(way, lexicon));
  const isSameColumn = columns.every((names) => names.length === 1 && names[0] === columns[0]![0]);
  const isSameDimension =
    isSameColumn &&
    plain.every(
      (way) =>
        way.segments.length === 0 && way.filters.every((one) => one.operator === 'equals' || one.operator === 'in'),
    );
  const isPhrase = run.slice(1).every((condition) => condition.type === 'is' && condition.and === 'phrase');
  const isRange = run.some((condition) => condition.type === 'compare');
  return { entity, isSameDimension, isUnion: !isRange && (isSameColumn || isPhrase) };
}

const owner = (name: string): string => name.slice(0, name.lastIndexOf('.'));

function segmentOf(name: string, lexicon: Lexicon): { readonly entity: string; readonly sql: string } | undefined {
  const term = lexicon.model.glossary.find((item) => item.term === name);
  const entity = lexicon.entities.get(term?.entity ?? term?.tables?.[0] ?? owner(name));
  const segment = entity?.model.segments.find((item) => `${entity.name}.${item.name}` === name);
  const sql = term?.sql ?? segment?.sql;
  return entity && sql !== undefined ? { entity: entity.name, sql } : undefined;
}

const ownerOfSegment = (name: string, lexicon: Lexicon): string => segmentOf(name, lexicon)?.entity ?? name;

/** The dimensions that the conditions read. */
function columnsOf(way: Way, lexicon: Lexicon): string[] {
  const named = way.segments.flatMap((name) => {
    const found = segmentOf(name, lexicon);
    const words = new Set((found?.sql ?? '').replace(/'[^']*'/g, '').match(/\w+/g) ?? []);
    const read = (lexicon.entities.get(found?.entity ?? '')?.dimensions ?? []).filter(
      (dimension) => words.has(dimension.name) || words.has(dimension.sql),
    );
    return read.length > 0 ? read.map((dimension) => `${found!.entity}.${dimension.name}`) : [name];
  });
  return [...new Set([...way.filters.map((one) => one.dimension), ...named])];
}
