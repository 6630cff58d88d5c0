/** Puts the words of one other language beside those of a model, and takes all of them out of what is shown. */
import type { LanguageCode } from '../language-kit/index.ts';
import { createModel } from './build/build-model.ts';
import type { ModelDimension, ModelEntity, SemanticModel } from './model.ts';
import type { Translations } from './schema.ts';

interface Translated {
  readonly synonyms?: readonly string[] | undefined;
  readonly translations?: Translations | undefined;
}

const known = new WeakMap<SemanticModel, Map<LanguageCode, SemanticModel>>();

/** The model in which translations into a language are synonyms; itself where it has none. Made once for a model. */
export function inLanguage(model: SemanticModel, language: LanguageCode): SemanticModel {
  const models = known.get(model) ?? new Map<LanguageCode, SemanticModel>();
  known.set(model, models);
  let translated = models.get(language);
  if (translated === undefined) {
    translated = translatedModel(model, language);
    models.set(language, translated);
  }
  return translated;
}

function translatedModel(model: SemanticModel, language: LanguageCode): SemanticModel {
  const one = <T extends Translated>(part: T): T => {
    const words = part.translations?.[language] ?? [];
    // First, as long lists of synonyms are cut in the prompt.
    return words.length === 0 ? part : { ...part, synonyms: [...words, ...(part.synonyms ?? [])] };
  };
  const withValueWords = (dimension: ModelDimension): ModelDimension => {
    const words = Object.entries(dimension.value_translations?.[language] ?? {});
    return words.length === 0 ? dimension : { ...dimension, valueWords: new Map(words) };
  };
  const all = <T extends Translated>(parts: readonly T[]): readonly T[] => mapped(parts, one);
  const entityOf = (entity: ModelEntity): ModelEntity => {
    const { dimensions, measures, segments } = entity;
    const own = {
      dimensions: mapped(all(dimensions), withValueWords),
      measures: all(measures),
      segments: all(segments),
    };
    const isSame = own.dimensions === dimensions && own.measures === measures && own.segments === segments;
    return one(isSame ? entity : { ...entity, ...own });
  };
  const parts = {
    entities: mapped(model.entities, entityOf),
    metrics: all(model.metrics),
    glossary: all(model.glossary),
  };
  const isSame =
    parts.entities === model.entities && parts.metrics === model.metrics && parts.glossary === model.glossary;
  return isSame ? model : createModel({ ...model, ...parts }, model.version, model.problems, model);
}

/** The same list where no item is another. */
function mapped<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

const MEMBERS = ['dimensions', 'measures', 'segments'] as const;

/** An item of a file without translations; itself where it has none. */
export function withoutTranslations<T extends object>(item: T): T {
  const { translations, value_translations: ofValues, ...shown } = item as Record<string, unknown>;
  let isSame = translations === undefined && ofValues === undefined;
  for (const key of MEMBERS) {
    const members = shown[key];
    if (!Array.isArray(members)) continue;
    shown[key] = mapped(members as object[], withoutTranslations);
    isSame &&= shown[key] === members;
  }
  return isSame ? item : (shown as T);
}
