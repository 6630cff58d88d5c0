/** Says how a question was read where it could have been read otherwise. */
import type { ProvenancePeriod } from '../result-kit/index.ts';
import { isTime } from '../semantic-layer/index.ts';
import type { ConditionNames } from './layer-conditions.ts';
import type { KnownMeasure } from './measures.ts';
import type { StatementParts } from './statement-parts.ts';
import { memberText, periodText, spoken } from './words.ts';

/** An assumption that holds where the question uses one of the phrases and none of the others; always without phrases. */
export interface Meaning {
  readonly phrases: readonly RegExp[];
  readonly unless: readonly RegExp[];
  text(phrase: string): string;
}

const phrase = (words: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[_\s]+/g, '[_\\s]+')}(?:s|es)?(?![\\p{L}\\p{N}])`,
    'iu',
  );

const RELATIVE =
  /\b(?:(?:last|past|previous|this|current|next)\s+(?:\d+\s+)?(?:day|week|month|quarter|year)s?|yesterday|today|year to date|month to date)\b/i;

/** What the question may be taken to mean, for the statement that answers it; worked out once for a statement. */
export function meaningsOf(
  { parts, entities, segments }: StatementParts,
  measures: readonly (KnownMeasure | undefined)[],
  periods: readonly ProvenancePeriod[],
  layer: ConditionNames,
): Meaning[] {
  const meanings: Meaning[] = [];
  const [period, ...more] = periods;
  if (period !== undefined && more.length === 0) {
    const { from, to, includesTo } = period;
    const text = periodText(from, to, includesTo);
    meanings.push({ phrases: [RELATIVE], unless: [], text: (said) => `${said}: ${text}` });
  }
  for (const { member } of parts.flatMap(({ conditions }) => conditions.bounds).slice(0, 1)) {
    const { entity, dimension } = member;
    const times = entity.dimensions.filter(isTime);
    const names = [dimension.name, ...(dimension.synonyms ?? [])].map((name) => phrase(spoken(name)));
    const text = `The period is about ${memberText(entity, dimension.name)}.`;
    if (times.length > 1) meanings.push({ phrases: [], unless: names, text: () => text });
  }
  for (const name of segments) {
    const condition = layer.condition(name);
    if (condition === undefined) continue;
    const { isDefault, text, phrases, definition } = condition;
    if (isDefault)
      meanings.push({ phrases: [], unless: [], text: () => `By default only these rows are meant: ${text}.` });
    else if (definition !== '')
      meanings.push({ phrases: phrases.map(phrase), unless: [], text: (said) => `"${said}" means: ${definition}` });
  }
  for (const measure of measures) {
    if (measure === undefined) continue;
    const { words, synonyms } = measure;
    if (synonyms.length === 0) continue;
    const text = (said: string) => `"${said}" means ${words}.`;
    meanings.push({ phrases: synonyms.map(phrase), unless: [phrase(words)], text });
  }
  const used = new Set(measures.flatMap((measure) => (measure === undefined ? [] : [measure.name.toLowerCase()])));
  const owners = new Set([...entities].map(({ name }) => name));
  for (const { term, synonyms = [], meanings: choices = [] } of layer.ambiguous) {
    for (const choice of choices) {
      if (typeof choice === 'string') continue;
      const { name, entity, measure, metric } = choice;
      const wanted =
        metric ?? (measure === undefined ? undefined : measure.includes('.') ? measure : `${entity}.${measure}`);
      const isUsed = wanted !== undefined && used.has(wanted.toLowerCase());
      if (!isUsed || (entity !== undefined && !owners.has(entity))) continue;
      const text = (said: string) => `"${said}" means ${name}.`;
      meanings.push({ phrases: [term, ...synonyms].map(phrase), unless: [phrase(name)], text });
    }
  }
  return meanings;
}

const MAX_QUESTION_CHARS = 4_000;
const MAX_ASSUMPTIONS = 10;

/** Those that hold for a question. */
export function assumptionsFor(meanings: readonly Meaning[], question: string | undefined): string[] {
  if (question === undefined || meanings.length === 0) return [];
  const asked = question.slice(0, MAX_QUESTION_CHARS);
  const texts = new Set<string>();
  for (const { phrases, unless, text } of meanings) {
    if (unless.some((one) => one.test(asked))) continue;
    const said =
      phrases.length === 0 ? '' : phrases.map((one) => one.exec(asked)?.[0]).find((one) => one !== undefined);
    if (said !== undefined) texts.add(text(said.toLowerCase()));
  }
  return [...texts].slice(0, MAX_ASSUMPTIONS);
}
