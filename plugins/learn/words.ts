/** Tells words that name things of the layer from others. */
import { type SemanticModel, stem, tokenize, translationsOfValues } from '../semantic-layer/index.ts';

/** Words that say what to do with a column, or for which time, and name none. */
export const GENERAL_WORDS = new Set(
  `amount average best break calculate change combined compare compared compute count current daily day days different
  display distribution down each figure figures find grouped growth highest individual largest least lowest maximum mean
  minimum month monthly months number numbers order overall percent percentage quarter quarterly rank ranked ranking rate
  report return share smallest sort sorted split sum summarize today total totals trend value values versus week weekly
  weeks worst year yearly years yesterday`.split(/\s+/),
);

export const stemsOf = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => tokenize(text)).flatMap((word) => stem(word) ?? []));

const valuesOf = (entities: SemanticModel['entities']) =>
  entities.flatMap(({ dimensions }) =>
    dimensions.flatMap((dimension) => [
      ...(dimension.sample_values ?? []).map(String),
      ...translationsOfValues(dimension).flatMap(([, words]) => words),
    ]),
  );

/** Words of the values that the layer lists. */
export const valueStems = ({ entities }: SemanticModel): Set<string> => stemsOf(valuesOf(entities));

/** Words of everything that has a name: a word that names one thing is no other word for another. */
export function namedStems({ entities, metrics, glossary }: SemanticModel): Set<string> {
  const members = entities.flatMap(({ dimensions, measures, segments }) => [...dimensions, ...measures, ...segments]);
  return stemsOf([
    ...entities.flatMap(({ name, synonyms }) => [name, ...synonyms]),
    ...members.flatMap(({ name, synonyms = [] }) => [name, ...synonyms]),
    ...valuesOf(entities),
    ...metrics.flatMap(({ id, label = '', synonyms = [] }) => [id, label, ...synonyms]),
    ...glossary.flatMap(({ term, synonyms = [] }) => [term, ...synonyms]),
  ]);
}
