/** Writes the part of the semantic layer that goes into the prompt of one question. */
import { LRUCache } from 'lru-cache';
import type { LanguageCode } from '../../language-kit/index.ts';
import { type VisibleModel, visibleModel } from '../hidden-columns.ts';
import type { SemanticModel } from '../model.ts';
import { inLanguage } from '../translations.ts';
import { BoundedText, byteLength } from './bounded-text.ts';
import { detailed } from './detail.ts';
import { Ranker, type Ranking, type ScoredEntity } from './rank.ts';
import { type AskedWords, askedWords, likeness } from './relevance.ts';
import { header, line, patternLine, renderEntity, renderMetric, renderTerm } from './render.ts';
import { LayerSearch } from './search.ts';

/** With the rules and the tools, a first request stays below 16 KB. */
export const DEFAULT_CONTEXT_BYTES = 6_656;

/** Share of the space for what is the same for every question. */
const STABLE_SHARE = 0.3;
/** Shares of the space for a question. */
const GLOSSARY_SHARE = 0.15;
const AMBIGUOUS_SHARE = 0.4;
const METRICS_SHARE = 0.12;
const PATTERNS_SHARE = 0.15;
/** Shares of the stable part for the names of entities and of metrics. */
const ENTITY_NAMES_SHARE = 0.6;
const METRIC_NAMES_SHARE = 0.3;
const MAX_PATTERNS = 3;
/** Lengths for which the text that is the same for every question is kept. */
const MAX_LENGTHS = 8;
/** A solved question with a smaller share of the question's words is none like it. */
const MIN_LIKENESS = 0.3;
/** Cached prompts: scheduled reports and dashboards repeat their questions. */
const CACHED_PROMPT_CHARS = 2 * 1024 * 1024;

/** The layer in a prompt. */
export interface LayerContext {
  /** The same for every question. */
  readonly stable: string;
  /** The parts relevant to the question; empty when `stable` is the whole layer. */
  readonly perQuestion: string;
}

/** What a question is given, and why. */
export interface Explanation extends LayerContext {
  /** The entities shown in detail, and the others that the question may be about. */
  readonly entities: readonly { readonly name: string; readonly score: number; readonly bytes: number }[];
}

export interface ContextOptions {
  /** Most bytes of UTF-8. */
  readonly maxBytes?: number;
  /** Changes the order of the entities, best first; what it leaves out is not shown. */
  readonly rerank?: ((entities: readonly ScoredEntity[]) => Promise<readonly ScoredEntity[]>) | undefined;
  /** Of the question, unless it is English. */
  readonly language?: LanguageCode | undefined;
}

/** What is cached for one model. */
interface Parts {
  readonly visible: VisibleModel;
  readonly ranker: Ranker;
  /** By length; `undefined` where the layer does not fit. */
  readonly whole: Map<number, string | undefined>;
  readonly stable: Map<number, string>;
  /** By length and question. */
  readonly texts: LRUCache<string, string>;
}

/** Writes the prompts of one layer and caches their text. */
export class ContextWriter {
  readonly #search: LayerSearch;
  readonly #parts = new WeakMap<SemanticModel, Parts>();
  /** Those of the same layer with the words of another language. English questions find what they find without. */
  readonly #translated = new Map<LanguageCode, LayerSearch>();

  constructor(search: LayerSearch) {
    this.#search = search;
  }

  /** Both parts as one text of at most `maxBytes`. */
  async write(model: SemanticModel, question: string, maxBytes?: number): Promise<string> {
    const { stable, perQuestion } = await this.parts(model, question, maxBytes === undefined ? {} : { maxBytes });
    return perQuestion === '' ? stable : `${stable}\n${perQuestion}`;
  }

  /**
   * Text of at most `maxBytes` in two parts. A layer that fits is written whole and always the same, for prompt caches.
   * With a larger one every question gets the names, and the entities, metrics, terms and solved questions that it is about.
   */
  async parts(layer: SemanticModel, question: string, options: ContextOptions = {}): Promise<LayerContext> {
    const { maxBytes = DEFAULT_CONTEXT_BYTES, rerank, language } = options;
    const { model, search } = this.#inLanguage(layer, language);
    const parts = this.#partsOf(model);
    const whole = wholeLayer(model, parts, maxBytes);
    if (whole !== undefined) return { stable: whole, perQuestion: '' };
    const stable = stablePart(model, parts, maxBytes);
    const key = `${maxBytes} ${language ?? ''} ${question}`;
    const cached = rerank === undefined ? parts.texts.get(key) : undefined;
    if (cached !== undefined) return { stable, perQuestion: cached };
    const space = maxBytes - byteLength(stable) - 1;
    const { perQuestion } = await this.#forQuestion(model, search, parts, question, options, space);
    if (rerank === undefined) parts.texts.set(key, perQuestion);
    return { stable, perQuestion };
  }

  /** The same with the scores and sizes of its parts. */
  async explain(layer: SemanticModel, question: string, options: ContextOptions = {}): Promise<Explanation> {
    const { maxBytes = DEFAULT_CONTEXT_BYTES, language } = options;
    const { model, search } = this.#inLanguage(layer, language);
    const parts = this.#partsOf(model);
    const whole = wholeLayer(model, parts, maxBytes);
    const stable = whole ?? stablePart(model, parts, maxBytes);
    const space = maxBytes - byteLength(stable) - 1;
    const { perQuestion, shown, ranked } = await this.#forQuestion(model, search, parts, question, options, space);
    const detail = new Map(shown.map(({ entity, text }) => [entity, text]));
    const scores = new Map(ranked.map(({ entity, score }) => [entity, score]));
    // A layer that fits is given whole, whatever the question.
    const listed = whole === undefined ? scores.keys() : new Set([...scores.keys(), ...parts.visible.entities]);
    const entities = Array.from(listed, (entity) => ({
      name: entity.name,
      score: scores.get(entity) ?? 0,
      bytes: byteLength(whole === undefined ? (detail.get(entity) ?? '') : renderEntity(entity)),
    }));
    return { stable, perQuestion: whole === undefined ? perQuestion : '', entities };
  }

  async #forQuestion(
    model: SemanticModel,
    search: LayerSearch,
    { visible, ranker }: Parts,
    question: string,
    { rerank, language }: ContextOptions,
    maxBytes: number,
  ) {
    const { words, hits } = await search.search(model, question, language);
    const ranking = ranker.rank(hits, question);
    const ranked = rerank === undefined ? ranking.entities : await rerank(ranking.entities);
    const chosen = ranker.choose(ranked);
    const asked = askedWords(question, words, language !== undefined);
    const text = new BoundedText(maxBytes);
    text.reserve(footer(chosen.length, visible.entities.length));
    text.add(termsAndMetrics(model, ranking, maxBytes));
    const patterns = new BoundedText(maxBytes * PATTERNS_SHARE);
    patterns.addList('# Solved questions like it', likePatterns(chosen, asked), patternLine);
    const title = '# Entities';
    const space = text.spaceLeft - byteLength(title) - byteLength(patterns.toString()) - 2;
    const shown = detailed(chosen, asked, Math.max(0, space));
    if (shown.length > 0) text.add([title, ...shown.map((entity) => entity.text)].join('\n'));
    text.add(patterns.toString());
    text.release();
    text.add(footer(shown.length, visible.entities.length));
    return { perQuestion: text.toString(), shown, ranked };
  }

  #inLanguage(model: SemanticModel, language: LanguageCode | undefined) {
    const translated = language === undefined ? model : inLanguage(model, language);
    if (language === undefined || translated === model) return { model, search: this.#search };
    const search = this.#translated.get(language) ?? new LayerSearch();
    this.#translated.set(language, search);
    return { model: translated, search };
  }

  #partsOf(model: SemanticModel): Parts {
    let parts = this.#parts.get(model);
    if (parts === undefined) {
      const visible = visibleModel(model);
      const texts = new LRUCache<string, string>({
        maxSize: CACHED_PROMPT_CHARS,
        sizeCalculation: (text, key) => text.length + key.length + 1,
      });
      parts = { visible, ranker: new Ranker(model, visible), whole: new Map(), stable: new Map(), texts };
      this.#parts.set(model, parts);
    }
    return parts;
  }
}

/** `undefined` where it does not fit. */
function wholeLayer(model: SemanticModel, { visible, whole }: Parts, maxBytes: number): string | undefined {
  if (whole.has(maxBytes)) return whole.get(maxBytes);
  const { entities, metrics, glossary } = visible;
  const text = new BoundedText(maxBytes);
  const fits =
    text.add(header(model)) &&
    text.addList('# Glossary', glossary, (term) => renderTerm(term, model.entity(term.entity ?? ''))) &&
    text.addList('# Metrics', metrics, (metric) => renderMetric(metric, model.entity(metric.entity ?? ''))) &&
    text.addList('# Entities', entities, renderEntity);
  const written = fits ? text.toString() : undefined;
  remember(whole, maxBytes, written);
  return written;
}

/** Small models ask for texts of several lengths. */
function remember<T>(texts: Map<number, T>, maxBytes: number, text: T): void {
  if (texts.size >= MAX_LENGTHS) texts.clear();
  texts.set(maxBytes, text);
}

/** What the layer is about and has, by name. */
function stablePart(model: SemanticModel, { visible, stable }: Parts, maxBytes: number): string {
  const known = stable.get(maxBytes);
  if (known !== undefined) return known;
  const { entities, metrics } = visible;
  const space = Math.floor(maxBytes * STABLE_SHARE);
  const text = new BoundedText(space);
  if (!text.add(header(model))) text.add(header({ catalog: { ...model.catalog, entities: [] } }));
  const names = (title: string, list: readonly string[], share: number) => {
    if (list.length > 0) text.add(nameList(title, list, Math.min(text.spaceLeft, space * share)));
  };
  names(
    `# All ${entities.length} entities`,
    entities.map(({ name }) => name),
    ENTITY_NAMES_SHARE,
  );
  names(
    '# Metrics',
    metrics.map(({ id }) => id),
    METRIC_NAMES_SHARE,
  );
  const written = text.toString();
  remember(stable, maxBytes, written);
  return written;
}

/** As many names as fit on one line, and how many there are besides. */
function nameList(title: string, names: readonly string[], maxBytes: number): string {
  let text = `${title}\n`;
  for (const [at, name] of names.entries()) {
    const next = `${at === 0 ? '' : ', '}${line(name, 100)}`;
    const rest = `, … ${names.length - at} more`;
    if (byteLength(text + next + rest) > maxBytes) return at === 0 ? '' : text + rest;
    text += next;
  }
  return text;
}

function termsAndMetrics(model: SemanticModel, { glossary, metrics }: Ranking, maxBytes: number): string {
  // Which meaning of an ambiguous term is meant has to be asked, so it needs its space.
  const isAmbiguous = glossary.some(({ status }) => status === 'ambiguous');
  const terms = new BoundedText(maxBytes * (isAmbiguous ? AMBIGUOUS_SHARE : GLOSSARY_SHARE));
  terms.addFitting('# Glossary', glossary, (term) => renderTerm(term, model.entity(term.entity ?? '')));
  const figures = new BoundedText(maxBytes * METRICS_SHARE);
  figures.addFitting('# Metrics', metrics, (metric) => renderMetric(metric, model.entity(metric.entity ?? '')));
  return [terms, figures].map(String).filter(Boolean).join('\n');
}

/** The query patterns of the entities that are most like the question, the nearest first. */
function likePatterns(chosen: readonly ScoredEntity[], asked: AskedWords) {
  return chosen
    .flatMap(({ entity }) => entity.queryPatterns)
    .map((pattern) => ({ ...pattern, likeness: likeness(pattern.description, asked) }))
    .filter((pattern) => pattern.likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_PATTERNS);
}

function footer(shown: number, total: number): string {
  return `# The rest\n${shown} of ${total} entities are shown in detail. Reach the others with the explore tool.`;
}
