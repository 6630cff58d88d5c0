/** Writes the part of the semantic layer that goes into the prompt of one question. */
import { LRUCache } from 'lru-cache';
import { type VisibleModel, visibleModel } from '../hidden-columns.ts';
import type { ModelDimension, ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { BoundedText, byteLength } from './bounded-text.ts';
import { type Overview, overview } from './overview.ts';
import { Ranker } from './rank.ts';
import { DETAIL_LEVELS, entityLine, header, NARROW_LEVELS, renderEntity, renderMetric, renderTerm } from './render.ts';
import type { LayerSearch } from './search.ts';
import { stem, tokenize } from './words.ts';

export const DEFAULT_CONTEXT_BYTES = 16 * 1024;

/** Shares of the space for each section. */
const GLOSSARY_SHARE = 0.2;
const METRICS_SHARE = 0.15;
const OVERVIEW_SHARE = 0.15;
/** The first entity's share of the entities' space, so that others have room too. */
const LARGEST_SHARE = 0.6;
const MAX_CACHED_BLOCKS = 256;
/** Cached prompts: scheduled reports and dashboards repeat their questions. */
const CACHED_PROMPT_CHARS = 512 * 1024;

/** The layer in a prompt. */
export interface LayerContext {
  /** The same for every question. */
  readonly stable: string;
  /** The parts relevant to the question; empty when `stable` is the whole layer. */
  readonly perQuestion: string;
}

/** Share of a prompt for what depends on the question. The less, the more of the prompt is in a cache. */
const PER_QUESTION_SHARE = 0.1;
/** With less, nothing useful can be said of an entity; of a small prompt it may take this share. */
const MIN_PER_QUESTION_BYTES = 1_600;
const MAX_PER_QUESTION_SHARE = 0.75;
/** The same where the other part names all columns. */
const DETAIL_BYTES = 1_200;

/** What is cached for one model: its visible parts, its ranker and the text written so far. */
interface Parts {
  readonly visible: VisibleModel;
  readonly ranker: Ranker;
  readonly lines: Map<ModelEntity | ModelMetric | ModelTerm, string>;
  /** Prompts by length and question. */
  readonly texts: LRUCache<string, string>;
}

const promptCache = () =>
  new LRUCache<string, string>({
    maxSize: CACHED_PROMPT_CHARS,
    sizeCalculation: (text, key) => text.length + key.length + 1,
  });

/** Writes the prompts of one layer and caches their text. */
export class ContextWriter {
  readonly #search: LayerSearch;
  /** `text` is `undefined` when the layer does not fit. */
  readonly #whole = new WeakMap<SemanticModel, { readonly maxBytes: number; readonly text: string | undefined }>();
  readonly #overviews = new WeakMap<SemanticModel, { readonly maxBytes: number; readonly overview: Overview }>();
  readonly #parts = new WeakMap<SemanticModel, Parts>();
  /** Recently used text of entities, by detail level. */
  readonly #blocks = new Map<ModelEntity, string[]>();

  constructor(search: LayerSearch) {
    this.#search = search;
  }

  /**
   * Text of at most `maxBytes` UTF-8 bytes. A layer that fits is written whole and always the same, for prompt caches;
   * else the entities, metrics and terms relevant to `question`, the best in most detail, and how to reach the rest.
   */
  async write(model: SemanticModel, question: string, maxBytes = DEFAULT_CONTEXT_BYTES): Promise<string> {
    const whole = this.#wholeLayer(model, maxBytes);
    if (whole !== undefined) return whole;
    return this.#relevant(model, question, maxBytes);
  }

  /** Text of at most `maxBytes` UTF-8 bytes in two parts, so that prompt caches can keep the first, which is larger. */
  async parts(model: SemanticModel, question: string, maxBytes = DEFAULT_CONTEXT_BYTES): Promise<LayerContext> {
    const whole = this.#wholeLayer(model, maxBytes);
    if (whole !== undefined) return { stable: whole, perQuestion: '' };
    const perQuestionBytes = Math.min(
      maxBytes * MAX_PER_QUESTION_SHARE,
      Math.max(MIN_PER_QUESTION_BYTES, maxBytes * PER_QUESTION_SHARE),
    );
    const known = this.#overview(model, maxBytes - Math.ceil(perQuestionBytes));
    const detailBytes = known.hasColumns ? Math.min(DETAIL_BYTES, perQuestionBytes) : perQuestionBytes;
    return { stable: known.text, perQuestion: await this.#relevant(model, question, detailBytes, known) };
  }

  #overview(model: SemanticModel, maxBytes: number): Overview {
    let known = this.#overviews.get(model);
    if (known?.maxBytes !== maxBytes) {
      known = { maxBytes, overview: overview(model, this.#partsOf(model).visible, maxBytes) };
      this.#overviews.set(model, known);
    }
    return known.overview;
  }

  async #relevant(model: SemanticModel, question: string, maxBytes: number, known?: Overview): Promise<string> {
    const { texts } = this.#partsOf(model);
    const key = `${known === undefined} ${maxBytes} ${question}`;
    const text = texts.get(key) ?? (await this.#chosenParts(model, question, maxBytes, known));
    texts.set(key, text);
    return text;
  }

  #wholeLayer(model: SemanticModel, maxBytes: number): string | undefined {
    const known = this.#whole.get(model);
    if (known?.maxBytes === maxBytes) return known.text;
    const parts = this.#partsOf(model);
    const { entities, metrics, glossary } = parts.visible;
    const text = new BoundedText(maxBytes);
    const fits =
      text.add(header(model)) &&
      text.addList('# Glossary', glossary, (term) => termLine(model, parts, term)) &&
      text.addList('# Metrics', metrics, (metric) => metricLine(model, parts, metric)) &&
      text.addList('# Entities', entities, (entity) => renderEntity(entity, DETAIL_LEVELS[0]!));
    const whole = fits ? text.toString() : undefined;
    this.#whole.set(model, { maxBytes, text: whole });
    return whole;
  }

  /** Without what the overview says of all questions. */
  async #chosenParts(model: SemanticModel, question: string, maxBytes: number, known?: Overview): Promise<string> {
    const parts = this.#partsOf(model);
    const hits = await this.#search.search(model, question);
    const { entities, metrics, glossary } = parts.ranker.rank(hits, question);
    const text = new BoundedText(maxBytes);
    const total = parts.visible.entities.length;
    text.reserve(footer(total, total));
    if (known === undefined) text.add(header(model));
    const terms = new BoundedText(known?.hasTerms ? 0 : maxBytes * GLOSSARY_SHARE);
    terms.addList('# Glossary', glossary, (term) => termLine(model, parts, term));
    text.add(terms.toString());
    const figures = new BoundedText(known?.hasMetrics ? 0 : maxBytes * METRICS_SHARE);
    figures.addList('# Metrics', metrics, (metric) => metricLine(model, parts, metric));
    text.add(figures.toString());

    text.add('# Entities');
    const detailed = new BoundedText(text.spaceLeft - maxBytes * OVERVIEW_SHARE);
    const shown = this.#addDetails(detailed, entities, question);
    text.add(detailed.toString());
    text.addList('# Other entities, by likeness to the question', entities.slice(shown), (entity) =>
      lineOf(parts, entity, () => entityLine(entity)),
    );
    text.release();
    text.add(footer(shown, total));
    return text.toString();
  }

  /** Adds the first entities in detail; returns how many fitted. */
  #addDetails(text: BoundedText, entities: readonly ModelEntity[], question: string): number {
    const words = new Set(tokenize(question).map(stem));
    const relevance = ({ name, synonyms }: ModelDimension) =>
      tokenize([name, ...(synonyms ?? [])].join(' ')).filter((word) => words.has(stem(word))).length;
    const space = text.spaceLeft;
    for (const [index, entity] of entities.entries()) {
      const limit = index === 0 && entities.length > 1 ? space * LARGEST_SHARE : text.spaceLeft;
      const block = this.#longestBlock(entity, limit, relevance);
      if (block === undefined || !text.add(block)) return index;
    }
    return entities.length;
  }

  #longestBlock(
    entity: ModelEntity,
    limit: number,
    relevance: (dimension: ModelDimension) => number,
  ): string | undefined {
    const blocks = this.#blocks.get(entity) ?? [];
    if (this.#blocks.size >= MAX_CACHED_BLOCKS) this.#blocks.clear();
    this.#blocks.set(entity, blocks);
    for (const [index, level] of DETAIL_LEVELS.entries()) {
      const block = blocks[index] ?? renderEntity(entity, level);
      blocks[index] = block;
      if (byteLength(block) < limit) return block;
    }
    for (const level of NARROW_LEVELS) {
      const block = renderEntity(entity, level, relevance);
      if (byteLength(block) < limit) return block;
    }
    return undefined;
  }

  #partsOf(model: SemanticModel): Parts {
    let parts = this.#parts.get(model);
    if (parts === undefined) {
      const visible = visibleModel(model);
      parts = { visible, ranker: new Ranker(model, visible), lines: new Map(), texts: promptCache() };
      this.#parts.set(model, parts);
    }
    return parts;
  }
}

function termLine(model: SemanticModel, parts: Parts, term: ModelTerm): string {
  return lineOf(parts, term, () => renderTerm(term, model.entity(term.entity ?? '')));
}

function metricLine(model: SemanticModel, parts: Parts, metric: ModelMetric): string {
  return lineOf(parts, metric, () => renderMetric(metric, model.entity(metric.entity ?? '')));
}

function lineOf({ lines }: Parts, part: ModelEntity | ModelMetric | ModelTerm, render: () => string): string {
  let text = lines.get(part);
  if (text === undefined) {
    text = render();
    lines.set(part, text);
  }
  return text;
}

function footer(shown: number, total: number): string {
  return `# The rest\n${shown} of ${total} entities are shown in detail. Reach the others with the explore tool.`;
}
