/** Builds one model from the files of a layer and reports references to missing parts. */

import { didYouMean } from '../../../kernel/index.ts';
import type { EntityItem, Finding, Item, LayerFile } from '../files/layer-file.ts';
import type { Path } from '../files/yaml.ts';
import type { ModelEntity, ModelJoin, ModelMetric, ModelTerm, SemanticModel, SemanticProblem } from '../model.ts';
import type { CatalogFile, Join } from '../schema.ts';
import { checkFreshness } from './freshness.ts';
import { checkDimensions, checkMeasures, checkSegments } from './members.ts';
import { connectionOf, ownNameOf, physicalTable } from './physical-table.ts';
import { buildVerified } from './verified.ts';

export type ModelParts = Omit<SemanticModel, 'version' | 'problems' | 'entity' | 'metric'>;

type Report = (file: LayerFile, path: Path, message: string) => void;

interface Draft {
  readonly file: LayerFile;
  readonly item: EntityItem;
  readonly ownName: string;
  /** Unique in the model: `source.name` when another source has the same name. */
  name: string;
  entity?: ModelEntity;
}

export function buildModel(files: readonly LayerFile[]): { parts: ModelParts; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const report: Report = (file, path, message) => void findings.push({ file, path, message });
  const catalog = mergeCatalogs(itemsOfKind(files, 'catalog'));
  const drafts = draftEntities(files, report);
  const names = new Names(drafts, files);
  for (const draft of drafts) draft.entity = finishEntity(draft, names, catalog, report);
  const entities = drafts.map((draft) => draft.entity!);
  const metrics = buildMetrics(files, names, report);
  const glossary = buildGlossary(files, names, metrics, report);
  checkCatalogs(files, names, report);
  const verified = buildVerified(files, report);
  return {
    parts: { entities, metrics, glossary, catalog, ...(verified.length > 0 && { verified }) },
    findings,
  };
}

/** Freezes the parts and adds the lookups by name. */
export function createModel(
  parts: ModelParts,
  version: number,
  problems: readonly SemanticProblem[],
  { notice, summary }: Pick<Partial<SemanticModel>, 'notice' | 'summary'> = {},
): SemanticModel {
  const entities = new Map<string, ModelEntity>();
  const metrics = new Map<string, ModelMetric>();
  for (const entity of parts.entities) {
    entities.set(entity.name.toLowerCase(), entity);
    if (entity.source !== 'default') entities.set(`${entity.source}.${entity.name}`.toLowerCase(), entity);
  }
  for (const metric of parts.metrics) metrics.set(metric.id.toLowerCase(), metric);
  return Object.freeze({
    version,
    entities: Object.freeze(parts.entities),
    metrics: Object.freeze(parts.metrics),
    glossary: Object.freeze(parts.glossary),
    catalog: parts.catalog,
    ...(parts.verified !== undefined && { verified: Object.freeze(parts.verified) }),
    problems: Object.freeze(problems),
    ...(notice !== undefined && { notice }),
    ...(summary !== undefined && { summary }),
    entity: (name: string) => entities.get(name.toLowerCase()),
    metric: (id: string) => metrics.get(id.toLowerCase()),
  });
}

/** Finds entities by the names used in files. */
class Names {
  readonly #drafts = new Map<string, Draft>();
  /** Entities whose file is broken: references to them are not reported again. */
  readonly #broken: ReadonlySet<string>;

  constructor(drafts: readonly Draft[], files: readonly LayerFile[]) {
    for (const draft of drafts) {
      this.#drafts.set(draft.name.toLowerCase(), draft);
      this.#drafts.set(`${draft.file.source}.${draft.ownName}`.toLowerCase(), draft);
    }
    const withoutItems = files.filter(({ kind, items }) => kind === 'entity' && items.length === 0);
    this.#broken = new Set(withoutItems.map(({ path }) => path.replace(/^.*\/|\.ya?ml$/gi, '').toLowerCase()));
  }

  find(name: string, source: string): Draft | undefined {
    const key = name.toLowerCase();
    return this.#drafts.get(`${source}.${key}`) ?? this.#drafts.get(key);
  }

  /** Finds the entity or reports that it is missing. */
  resolve(name: string, file: LayerFile, path: Path, report: Report): Draft | undefined {
    const draft = this.find(name, file.source);
    if (draft === undefined && !this.#broken.has(name.toLowerCase().replace(/^.*\./, ''))) {
      report(file, path, `There is no entity \`${name}\`${didYouMean(name, this.#known()) || '.'}`);
    }
    return draft;
  }

  #known(): string[] {
    return Array.from(this.#drafts.values(), ({ name }) => name);
  }
}

function itemsOfKind<Kind extends LayerFile['kind']>(
  files: readonly LayerFile[],
  kind: Kind,
): { file: LayerFile; item: Item<Kind> }[] {
  const ofKind = files.filter((file) => file.kind === kind);
  return ofKind.flatMap((file) => file.items.map((item) => ({ file, item: item as Item<Kind> })));
}

function draftEntities(files: readonly LayerFile[], report: Report): Draft[] {
  const drafts: Draft[] = [];
  const inSource = new Map<string, Draft>();
  const sourcesOf = new Map<string, number>();
  for (const { file, item } of itemsOfKind(files, 'entity')) {
    const ownName = ownNameOf(item.value);
    const key = ownName.toLowerCase();
    const taken = inSource.get(`${file.source}.${key}`);
    if (taken !== undefined) {
      const message = `The entity \`${ownName}\` is already declared in \`${taken.file.path}\`; rename or remove one.`;
      report(file, [item.value.name === undefined ? 'table' : 'name'], message);
      continue;
    }
    const draft = { file, item: item.value, ownName, name: ownName };
    inSource.set(`${file.source}.${key}`, draft);
    sourcesOf.set(key, (sourcesOf.get(key) ?? 0) + 1);
    drafts.push(draft);
  }
  for (const draft of drafts) {
    const isShared = sourcesOf.get(draft.ownName.toLowerCase())! > 1;
    if (isShared && draft.file.source !== 'default') draft.name = `${draft.file.source}.${draft.ownName}`;
  }
  return drafts;
}

function finishEntity(draft: Draft, names: Names, catalog: CatalogFile | undefined, report: Report): ModelEntity {
  const { file, item } = draft;
  const reportHere = (path: Path, message: string) => report(file, path, message);
  const dimensions = checkDimensions(item, reportHere);
  const listed = catalog?.entities?.find(({ name }) => name.toLowerCase() === draft.name.toLowerCase());
  const connection = connectionOf(item, file.source);
  const grain = item.grain ?? listed?.grain;
  const freshness = checkFreshness(item, dimensions, reportHere);
  return Object.freeze({
    name: draft.name,
    ...physicalTable(item),
    ...(connection !== undefined && { connection }),
    type: item.type ?? 'table',
    ...(grain !== undefined && { grain }),
    ...(item.row_count !== undefined && { rowCount: item.row_count }),
    ...(freshness !== undefined && { freshness }),
    description: item.description ?? listed?.description ?? '',
    synonyms: item.synonyms ?? [],
    ...(item.translations !== undefined && { translations: item.translations }),
    dimensions,
    measures: checkMeasures(item, dimensions, reportHere),
    joins: checkJoins(draft, names, report),
    segments: checkSegments(item, dimensions, reportHere),
    queryPatterns: item.query_patterns ?? [],
    file: file.path,
    source: file.source,
  });
}

function checkJoins(draft: Draft, names: Names, report: Report): readonly ModelJoin[] {
  const { file, item } = draft;
  const declared = item.joins ?? [];
  const usable: ModelJoin[] = [];
  const taken = new Set<string>();
  for (const [index, join] of declared.entries()) {
    const target = names.resolve(join.target, file, ['joins', index, 'target'], report);
    if (target === undefined) continue;
    if (connectionOf(target.item, target.file.source) !== connectionOf(item, file.source)) {
      const message = `\`${join.target}\` is on another connection and cannot be joined; query the two separately.`;
      report(file, ['joins', index, 'target'], message);
      continue;
    }
    const on = Array.isArray(join.on) ? join.on : [join.on];
    let name = join.name ?? join.target;
    if (taken.has(name.toLowerCase())) {
      report(file, ['joins', index], nameClash(join, declared));
      // Both joins are kept, so that the ambiguity shows instead of being resolved silently.
      name = `${name}_${on[0]?.from ?? index}`;
      if (taken.has(name.toLowerCase())) continue;
    }
    taken.add(name.toLowerCase());
    usable.push(Object.freeze({ ...join, target: target.name, name, on: Object.freeze(on) }));
  }
  return Object.freeze(usable);
}

function nameClash(join: Join, declared: readonly Join[]): string {
  if (join.name !== undefined) return `Another join is already named \`${join.name}\`; rename one.`;
  const count = declared.filter(({ target }) => target.toLowerCase() === join.target.toLowerCase()).length;
  return `${count} joins lead to \`${join.target}\`; give each of them a \`name\`.`;
}

function buildMetrics(files: readonly LayerFile[], names: Names, report: Report): ModelMetric[] {
  const metrics = new Map<string, ModelMetric>();
  for (const { file, item } of itemsOfKind(files, 'metrics')) {
    const metric = checkMetric(item, file, names, report);
    if (metric === undefined) continue;
    const taken = metrics.get(metric.id.toLowerCase());
    // As with entities, the name of the source distinguishes a metric of another source.
    const id = taken !== undefined && taken.source !== file.source ? `${file.source}.${metric.id}` : metric.id;
    if (metrics.has(id.toLowerCase())) {
      report(file, [...item.path, 'id'], `The metric \`${id}\` is declared twice; rename or remove one.`);
    } else {
      metrics.set(id.toLowerCase(), Object.freeze({ ...metric, id }));
    }
  }
  return [...metrics.values()];
}

function checkMetric(item: Item<'metrics'>, file: LayerFile, names: Names, report: Report): ModelMetric | undefined {
  const metric = item.value;
  const at = (...steps: Path) => [...item.path, ...steps];
  if (metric.measure === undefined && metric.sql === undefined) {
    return void report(file, at(), `The metric \`${metric.id}\` needs a \`measure\` of its entity, or \`sql\`.`);
  }
  if (metric.measure !== undefined && metric.sql !== undefined) {
    report(file, at('sql'), `The metric \`${metric.id}\` has \`measure\` and \`sql\`; keep one (\`measure\` is used).`);
  }
  const base = { ...metric, file: file.path, source: file.source };
  if (metric.entity === undefined) {
    if (metric.measure === undefined) return base;
    return void report(file, at('measure'), `The metric \`${metric.id}\` needs \`entity\`: whose measure it is.`);
  }
  const draft = names.resolve(metric.entity, file, at('entity'), report);
  if (draft === undefined) return undefined;
  if (metric.measure !== undefined && !hasMeasure(draft, metric.measure)) {
    return void report(file, at('measure'), noMeasure(draft, metric.measure));
  }
  const dimensions = metric.dimensions?.filter((name, index) => {
    const isKnown = hasDimension(name, draft, names);
    if (!isKnown) report(file, at('dimensions', index), `There is no dimension \`${name}\` on \`${draft.name}\`.`);
    return isKnown;
  });
  return {
    ...base,
    entity: draft.name,
    ...(dimensions !== undefined && { dimensions: Object.freeze(dimensions) as string[] }),
  };
}

/** Every entity has the measure `count`. */
function hasMeasure({ entity }: Draft, name: string): boolean {
  const key = name.toLowerCase();
  return key === 'count' || entity!.measures.some((measure) => measure.name.toLowerCase() === key);
}

function noMeasure({ entity }: Draft, name: string): string {
  const known = entity!.measures.map((measure) => measure.name);
  return `The entity \`${entity!.name}\` has no measure \`${name}\`${didYouMean(name, known) || '.'}`;
}

/** `dimension` of the entity or of one it joins, or `entity.dimension`. */
function hasDimension(name: string, draft: Draft, names: Names): boolean {
  const dot = name.lastIndexOf('.');
  const key = name.slice(dot + 1).toLowerCase();
  const has = (entity: ModelEntity | undefined) =>
    entity?.dimensions.some((dimension) => dimension.name.toLowerCase() === key) ?? false;
  if (dot > 0) return has(names.find(name.slice(0, dot), draft.file.source)?.entity);
  const joined = draft.entity!.joins.map(({ target }) => names.find(target, draft.file.source)?.entity);
  return has(draft.entity) || joined.some(has);
}

function buildGlossary(
  files: readonly LayerFile[],
  names: Names,
  metrics: readonly ModelMetric[],
  report: Report,
): ModelTerm[] {
  const terms: ModelTerm[] = [];
  const taken = new Set<string>();
  const metricIds = new Set(metrics.map(({ id }) => id.toLowerCase()));
  for (const { file, item } of itemsOfKind(files, 'glossary')) {
    const term = item.value;
    const key = `${file.source}.${term.term}`.toLowerCase();
    if (taken.has(key)) {
      report(file, [...item.path, 'term'], `The term \`${term.term}\` is declared twice; merge the two.`);
      continue;
    }
    taken.add(key);
    const { entity, sql, ...text } = term;
    const owner = entity === undefined ? undefined : names.resolve(entity, file, [...item.path, 'entity'], report);
    // A condition is meaningless without its entity; the definition's text remains.
    const condition = { ...(owner && { entity: owner.name }), ...(sql !== undefined && (owner || !entity) && { sql }) };
    const meanings = term.meanings?.map((meaning, index) => {
      if (typeof meaning === 'string') return meaning;
      const path = [...item.path, 'meanings', index];
      const of =
        meaning.entity === undefined ? undefined : names.resolve(meaning.entity, file, [...path, 'entity'], report);
      if (of !== undefined && meaning.measure !== undefined && !hasMeasure(of, meaning.measure)) {
        report(file, [...path, 'measure'], noMeasure(of, meaning.measure));
      }
      if (of !== undefined && meaning.dimension !== undefined && !hasDimension(meaning.dimension, of, names)) {
        report(file, [...path, 'dimension'], `There is no dimension \`${meaning.dimension}\` on \`${of.name}\`.`);
      }
      if (meaning.metric !== undefined && !metricIds.has(meaning.metric.toLowerCase())) {
        const hint = didYouMean(meaning.metric, metricIds) || '.';
        report(file, [...path, 'metric'], `There is no metric \`${meaning.metric}\`${hint}`);
      }
      return of === undefined ? meaning : Object.freeze({ ...meaning, entity: of.name });
    });
    terms.push(
      Object.freeze({
        ...text,
        ...condition,
        ...(meanings !== undefined && { meanings: Object.freeze(meanings) as typeof meanings }),
        status: term.status ?? (meanings !== undefined && meanings.length > 1 ? 'ambiguous' : 'defined'),
        file: file.path,
        source: file.source,
      }),
    );
  }
  return terms;
}

function mergeCatalogs(catalogs: readonly { item: Item<'catalog'> }[]): CatalogFile | undefined {
  const [first, ...others] = catalogs.map(({ item }) => item.value);
  if (first === undefined || others.length === 0) return first;
  const entities = [first, ...others].flatMap((catalog) => catalog.entities ?? []);
  return Object.freeze({ ...first, entities: Object.freeze(entities) as typeof entities });
}

function checkCatalogs(files: readonly LayerFile[], names: Names, report: Report): void {
  for (const { file, item } of itemsOfKind(files, 'catalog')) {
    for (const [index, { name }] of (item.value.entities ?? []).entries()) {
      names.resolve(name, file, ['entities', index, 'name'], report);
    }
  }
}
