/** Small rules about figures. */
import type { Draft, Mention, Want } from './draft.ts';
import { isIdentifier } from './entity-traits.ts';
import type { Meaning, MeaningOf } from './lexicon.ts';
import { type Dimension, type Figure, full, spoken } from './resolver-base.ts';
import { nameWords, stem } from './words.ts';

/** "average number of seats": over the dimension that a sum of that name is of. */
export function measuredDimensions(mention: Mention): Mention {
  const words = new Set(nameWords(mention.text).map(stem));
  const found = mention.meanings.flatMap((meaning): Meaning[] => {
    if (meaning.kind !== 'measure' || meaning.measure?.type !== 'sum') return [];
    const { sql } = meaning.measure;
    const dimension = meaning.entity.dimensions.find(
      (item) =>
        (item.sql === sql || item.name === sql || `{${item.name}}` === sql) &&
        nameWords(item.name).every((word) => words.has(stem(word))),
    );
    return dimension ? [{ kind: 'dimension', rank: meaning.rank, entity: meaning.entity, dimension }] : [];
  });
  const hasDimension = mention.meanings.some((meaning) => meaning.kind === 'dimension');
  return hasDimension || found.length === 0 ? mention : { ...mention, meanings: found };
}

/** The ranked noun is what is counted itself, so a group beside it is the only one. */
export const isCounted = (draft: Draft, ranked: Mention): boolean =>
  draft.wants.some((want) => want.mention.meanings.some((meaning) => ranked.meanings.includes(meaning)));

/** "how many seats" where seats is a number of each row. */
export const numberReadings = (dimensions: readonly Dimension[]): { figure: Figure; rank: number; label: string }[] =>
  dimensions.flatMap((item) =>
    (['sum', 'count_distinct'] as const).map((type) => ({
      figure: {
        entity: item.entity,
        adhoc: { name: `${type === 'sum' ? 'total' : 'distinct'}_${item.dimension.name}`, type, dimension: full(item) },
      },
      rank: 1,
      label: `${type === 'sum' ? 'the total of' : 'the number of different values of'} ${spoken(item.dimension.name)}`,
    })),
  );

export const isNumeric = (mention: Mention): boolean =>
  mention.meanings.some(
    (meaning) =>
      meaning.kind === 'dimension' &&
      meaning.dimension.type === 'number' &&
      !isIdentifier(meaning.entity, meaning.dimension),
  );

export const isEntity = (mention: Mention): boolean => mention.meanings.some((meaning) => meaning.kind === 'entity');

export function measureFits(meaning: MeaningOf<'measure'>, fn: Want['fn']): boolean {
  const type = meaning.measure?.type;
  switch (fn) {
    case undefined:
    case 'count':
    case 'sum':
      return fn !== 'sum' || (type === undefined && !isRatio(meaning)) || type === 'sum' || type === 'count';
    case 'count_distinct':
      return type === 'count_distinct';
    case 'avg':
      return type === fn || isRatio(meaning);
    default:
      return type === fn;
  }
}

/** "visits per patient" is an average by its name. */
const isRatio = ({ name, metric, measure }: MeaningOf<'measure'>): boolean =>
  (measure === undefined || measure.type === 'ratio') &&
  [name, metric?.label ?? ''].some((text) => nameWords(text).includes('per'));

/** A metric and the measure that it is made of are one figure. */
export function sameFigure(
  found: { figure: Figure; rank: number; label: string }[],
  measures: readonly MeaningOf<'measure'>[],
): typeof found {
  return found.filter((item) => {
    const own = measures.find((meaning) => meaning.name === item.figure.name)!;
    return (
      own.metric !== undefined ||
      !measures.some(
        (other) =>
          other.metric &&
          other.measure !== undefined &&
          other.measure === own.measure &&
          found.some((f) => f.figure.name === other.name),
      )
    );
  });
}

export const isPlain = (measures: readonly MeaningOf<'measure'>[]): boolean =>
  measures.every((meaning) => meaning.measure?.type === 'count' && meaning.measure.sql === undefined);

/** A count with a definition of its own, under its own name. */
export const countsOtherwise = (measures: readonly MeaningOf<'measure'>[], fn: Want['fn']): boolean =>
  fn !== 'count_distinct' && measures.some((meaning) => meaning.rank === 3 && !isPlain([meaning]));
