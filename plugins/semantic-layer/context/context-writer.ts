/** What the model is told of the semantic layer for one question: bounded, whatever the layer's size. */
import { BoundedText, byteLength } from './bounded-text.ts';
import type { ModelDimension, ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { Ranker } from './rank.ts';
import { cutLevels, detailLevels, entityLine, line, renderEntity, renderMetric, renderTerm } from './render.ts';
import type { LayerSearch } from './search.ts';
import { type VisibleModel, visibleModel } from '../hidden-columns.ts';
import { stem, tokenize } from './words.ts';

export const defaultContextBytes = 16 * 1024;

/** Shares of the space, so that no section starves the others. */
const glossaryShare = 0.2;
const metricsShare = 0.15;
const overviewShare = 0.15;
/** The first entity may take this much of the entities' space, so that it does not stand alone. */
const largestShare = 0.6;
const maxKeptForms = 256;
/** Scheduled reports and dashboards ask the same again and again. */
const maxKeptTexts = 32;

/** What one model may show, who finds it, and the lines about it that were in a prompt. */
interface Parts {
  readonly visible: VisibleModel;
  readonly ranker: Ranker;
  readonly lines: Map<ModelEntity | ModelMetric | ModelTerm, string>;
  /** Prompts of the last questions, by length and question, the last used at the end. */
  readonly texts: Map<string, string>;
}

/** Writes the prompts of one layer, and remembers what it has put into words. */
export class ContextWriter {
  readonly #search: LayerSearch;
  /** `undefined`: does not fit. */
  readonly #whole = new WeakMap<SemanticModel, { readonly maxBytes: number; readonly text: string | undefined }>();
  readonly #parts = new WeakMap<SemanticModel, Parts>();
  /** Forms of the entities asked for of late, by detail level. */
  readonly #forms = new Map<ModelEntity, string[]>();

  constructor(search: LayerSearch) {
    this.#search = search;
  }

  /**
   * Text of at most `maxBytes` UTF-8 bytes. A layer that fits is given whole and always in the same words; else the
   * entities, metrics and terms that matter for `question`, the best in most detail, and how to reach the rest.
   */
  async write(model: SemanticModel, question: string, maxBytes = defaultContextBytes): Promise<string> {
    const whole = this.#wholeLayer(model, maxBytes);
    if (whole !== undefined) return whole;
    const { texts } = this.#partsOf(model);
    const key = `${maxBytes} ${question}`;
    const text = texts.get(key) ?? (await this.#chosenParts(model, question, maxBytes));
    texts.delete(key);
    texts.set(key, text);
    if (texts.size > maxKeptTexts) texts.delete(texts.keys().next().value ?? '');
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
      text.addList('# Entities', entities, (entity) => renderEntity(entity, detailLevels[0]!));
    const whole = fits ? text.toString() : undefined;
    this.#whole.set(model, { maxBytes, text: whole });
    return whole;
  }

  async #chosenParts(model: SemanticModel, question: string, maxBytes: number): Promise<string> {
    const parts = this.#partsOf(model);
    const hits = await this.#search.search(model, question);
    const { entities, metrics, glossary } = parts.ranker.rank(hits, question);
    const text = new BoundedText(maxBytes);
    const total = parts.visible.entities.length;
    text.reserve(footer(total, total));
    text.add(header(model));
    const terms = new BoundedText(maxBytes * glossaryShare);
    terms.addList('# Glossary', glossary, (term) => termLine(model, parts, term));
    text.add(terms.toString());
    const figures = new BoundedText(maxBytes * metricsShare);
    figures.addList('# Metrics', metrics, (metric) => metricLine(model, parts, metric));
    text.add(figures.toString());

    text.add('# Entities');
    const detailed = new BoundedText(text.spaceLeft - maxBytes * overviewShare);
    const shown = this.#addDetails(detailed, entities, question);
    text.add(detailed.toString());
    text.addList('# Other entities, by likeness to the question', entities.slice(shown), (entity) =>
      lineOf(parts, entity, () => entityLine(entity)),
    );
    text.release();
    text.add(footer(shown, total));
    return text.toString();
  }

  /** How many of the entities, from the first, got a block. */
  #addDetails(text: BoundedText, entities: readonly ModelEntity[], question: string): number {
    const words = new Set(tokenize(question).map(stem));
    const relevance = ({ name, synonyms }: ModelDimension) =>
      tokenize([name, ...(synonyms ?? [])].join(' ')).filter((word) => words.has(stem(word))).length;
    const space = text.spaceLeft;
    for (const [index, entity] of entities.entries()) {
      const limit = index === 0 && entities.length > 1 ? space * largestShare : text.spaceLeft;
      const form = this.#longestForm(entity, limit, relevance);
      if (form === undefined || !text.add(form)) return index;
    }
    return entities.length;
  }

  #longestForm(
    entity: ModelEntity,
    limit: number,
    relevance: (dimension: ModelDimension) => number,
  ): string | undefined {
    const forms = this.#forms.get(entity) ?? [];
    if (this.#forms.size >= maxKeptForms) this.#forms.clear();
    this.#forms.set(entity, forms);
    for (const [index, level] of detailLevels.entries()) {
      const form = forms[index] ?? renderEntity(entity, level);
      forms[index] = form;
      if (byteLength(form) < limit) return form;
    }
    for (const level of cutLevels) {
      const form = renderEntity(entity, level, relevance);
      if (byteLength(form) < limit) return form;
    }
    return undefined;
  }

  #partsOf(model: SemanticModel): Parts {
    let parts = this.#parts.get(model);
    if (parts === undefined) {
      const visible = visibleModel(model);
      parts = { visible, ranker: new Ranker(model, visible), lines: new Map(), texts: new Map() };
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
  const reach = '"?words" searches, "entities" lists, the path of a file shows it';
  return `# The rest\n${shown} of ${total} entities are shown in detail. Reach the others with the explore tool: ${reach}.`;
}

function header(model: SemanticModel): string {
  const { name, description, entities } = model.catalog ?? {};
  const about = [name && line(name, 120), description && line(description, 600)].filter(Boolean).join(': ');
  const guides = (entities ?? []).flatMap(({ name: entity, use_for }) =>
    use_for?.length ? [`- ${line(entity, 100)}: ${line(use_for.join('; '), 200)}`] : [],
  );
  const guide = guides.length === 0 || guides.length > 12 ? '' : `\nWhat to use for what:\n${guides.join('\n')}`;
  return `# Semantic layer${about ? `\n${about}` : ''}${guide}`;
}
