/** Writes the entities that a question is about, each cut to what the question, its joins and its measures need. */
import type { ModelDimension, ModelEntity } from '../model.ts';
import type { Measure, Segment } from '../schema.ts';
import { byteLength } from './bounded-text.ts';
import type { ScoredEntity } from './rank.ts';
import { type AskedWords, columnRelevance, relevanceOf, valuesByRelevance } from './relevance.ts';
import { dimensionLine, entityHead, joinLine, line, measureLine, segmentLine } from './render.ts';

/** Names of columns or measures that are listed where their descriptions do not fit: the first number that leaves space. */
const NAME_LIMITS = [60, 25, 10];
/** Part of the space that the names may take. */
const NAMES_SHARE = 0.6;
const MAX_JOINS = 8;
/** What the members of the least relevant entity are worth, compared with those of the most relevant one. */
const LEAST_SHARE = 0.5;

/** What a join to another shown entity is worth. */
const JOIN_WORTH = 12;
/** Share of its relevance that a measure or segment gives to the columns that it reads. */
const READ_SHARE = 0.4;
/** What a condition is worth that questions mean unless they say otherwise: more than anything that is only relevant. */
const DEFAULT_WORTH = 1_000;
/** Columns of each entity that are written whole before others are. */
const FIRST_COLUMNS = 3;

/** A member of an entity: written whole, or only named. */
interface Item {
  readonly name: string;
  readonly whole: string;
  readonly worth: number;
  isWhole: boolean;
}

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

/** An entity as it will be written. */
interface Block {
  readonly entity: ModelEntity;
  readonly head: string;
  readonly sections: readonly Section[];
}

export interface EntityText {
  readonly entity: ModelEntity;
  readonly text: string;
}

/**
 * The entities in at most `maxBytes`: each with all its names, as far as there is space, and the most relevant members
 * of all of them whole. The last entities are left out where not even their names fit.
 */
export function detailed(chosen: readonly ScoredEntity[], asked: AskedWords, maxBytes: number): EntityText[] {
  const best = chosen[0]?.score ?? 1;
  const shareOf = (score: number) => LEAST_SHARE + (1 - LEAST_SHARE) * (best === 0 ? 1 : score / best);
  const shares = new Map(chosen.map(({ entity, score }) => [entity.name, shareOf(score)]));
  const blocks = chosen.map(({ entity }) => blockOf(entity, { asked, shares }));
  for (;;) {
    const limit = NAME_LIMITS.find((most) => bytesOf(blocks, most) <= maxBytes * NAMES_SHARE) ?? NAME_LIMITS.at(-1)!;
    const left = maxBytes - bytesOf(blocks, limit);
    if (left < 0 && blocks.length > 0) {
      blocks.pop();
      continue;
    }
    fill(blocks, left);
    shorten(blocks, limit, maxBytes);
    return blocks.map((block) => ({ entity: block.entity, text: written(block, limit) }));
  }
}

/** What was written of members before, as long as their model is in use. */
const lines = new WeakMap<object, string>();

function lineOf(member: object, render: () => string): string {
  let text = lines.get(member);
  if (text === undefined) {
    text = render();
    lines.set(member, text);
  }
  return text;
}

/** The values that the question names come first. */
function columnLine(entity: ModelEntity, dimension: ModelDimension, asked: AskedWords): string {
  const { values, named } = valuesByRelevance(dimension, asked);
  if (named > 0) return dimensionLine(entity, dimension, values, named);
  return lineOf(dimension, () => dimensionLine(entity, dimension, values, 0));
}

interface BlockInit {
  readonly asked: AskedWords;
  /** The entities that are shown, with what their members are worth. */
  readonly shares: ReadonlyMap<string, number>;
}

function blockOf(entity: ModelEntity, { asked, shares }: BlockInit): Block {
  const share = shares.get(entity.name) ?? LEAST_SHARE;
  const item = (name: string, whole: string, worth: number): Item => ({
    name: line(name, 100),
    whole,
    worth: worth * share,
    isWhole: false,
  });
  const isDefault = (one: Measure | Segment) => 'default' in one && one.default === true;
  const relevances = new Map(
    [...entity.measures, ...entity.segments].map((one) => [
      one,
      isDefault(one) ? DEFAULT_WORTH : relevanceOf(one, asked),
    ]),
  );
  const relevant = [...relevances].filter(([, relevance]) => relevance > 0);
  /** What the measures and segments that the question is about read, it needs as well. */
  const readWorths = new Map<string, number>();
  for (const [{ sql }, relevance] of relevant) {
    for (const [name] of sql?.toLowerCase().matchAll(/[\p{L}\p{N}_$]+/gu) ?? []) {
      readWorths.set(name, Math.max(readWorths.get(name) ?? 0, READ_SHARE * relevance));
    }
  }
  const columns = entity.dimensions.map((dimension) =>
    item(
      dimension.name,
      columnLine(entity, dimension, asked),
      columnRelevance(dimension, asked) + (readWorths.get(dimension.name.toLowerCase()) ?? 0),
    ),
  );
  const measures = entity.measures.map((measure) =>
    item(
      measure.name,
      lineOf(measure, () => measureLine(entity, measure)),
      relevances.get(measure) ?? 0,
    ),
  );
  const segments = entity.segments.map((segment) =>
    item(
      segment.name,
      lineOf(segment, () => segmentLine(entity, segment)),
      relevances.get(segment) ?? 0,
    ),
  );
  const byTarget = Map.groupBy(entity.joins, ({ target }) => target);
  const joins = entity.joins.map((join) => {
    const isOnly = byTarget.get(join.target)?.length === 1;
    const { description: _, ...plain } = join;
    const text = lineOf(join, () => joinLine(entity, isOnly ? plain : join));
    return item(join.name, text, JOIN_WORTH * (shares.get(join.target) ?? 0));
  });
  return {
    entity,
    head: `## ${entityHead(entity)}`,
    sections: [
      { title: 'columns:', items: columns },
      { title: 'measures:', items: measures },
      { title: 'joins:', items: joins.filter(({ worth }) => worth > 0).slice(0, MAX_JOINS) },
      { title: 'segments (ready-made conditions):', items: segments },
    ],
  };
}

const byWorth = (a: Item, b: Item) => b.worth - a.worth;

/**
 * Writes members whole as long as they fit into `left` bytes: default conditions with their columns, some columns of each
 * entity, then the most relevant.
 */
function fill(blocks: readonly Block[], left: number): void {
  const items = blocks.flatMap(({ sections }) => sections.flatMap((section) => section.items));
  const defaults = items.filter(({ worth }) => worth >= DEFAULT_WORTH * READ_SHARE * LEAST_SHARE);
  const first = blocks.flatMap(({ sections: [columns] }) => columns!.items.toSorted(byWorth).slice(0, FIRST_COLUMNS));
  let space = left;
  for (const item of new Set([...defaults, ...first, ...items.filter(({ worth }) => worth > 0).sort(byWorth)])) {
    const bytes = byteLength(item.whole) + 1;
    if (bytes > space) continue;
    item.isWhole = true;
    space -= bytes;
  }
}

/** Names the least relevant members again: those that take the places of whole ones among the names may be longer. */
function shorten(blocks: readonly Block[], limit: number, maxBytes: number): void {
  const items = blocks.flatMap(({ sections }) => sections.flatMap((section) => section.items));
  const whole = items.filter(({ isWhole }) => isWhole).sort(byWorth);
  while (whole.length > 0 && bytesOf(blocks, limit) > maxBytes) whole.pop()!.isWhole = false;
}

const bytesOf = (blocks: readonly Block[], limit: number) =>
  blocks.reduce((sum, block) => sum + byteLength(written(block, limit)) + 1, 0);

function written({ entity, head, sections }: Block, limit: number): string {
  const lines = [head];
  for (const { title, items } of sections) {
    if (items.length === 0) continue;
    const whole = items.filter(({ isWhole }) => isWhole);
    const named = items.filter(({ isWhole }) => !isWhole).sort(byWorth);
    const shown = named.slice(0, limit).map(({ name }) => name);
    const more = named.length - shown.length;
    if (shown.length > 0) shown[0] = `- ${whole.length === 0 ? '' : 'more: '}${shown[0]}`;
    if (more > 0) shown.push(`… ${more} more in ${entity.file}`);
    lines.push(title, ...whole.map((item) => item.whole), ...(shown.length > 0 ? [shown.join(', ')] : []));
  }
  return lines.join('\n');
}
