/** Shows the files of a layer to administrators: what they hold, what is wrong with them, and what is missing. */
import type { CatalogFile, EntityItem, LayerFile, LayerFiles, SemanticProblem } from '../semantic-layer/index.ts';

const valuesOf = ({ items }: LayerFile) => items.map(({ value }) => value as unknown);

/** What is wrong with one file. */
export const problemsOf = (layer: LayerFiles, path: string) => problemsByFile(layer)({ path });

function problemsByFile({ model }: LayerFiles): (file: Pick<LayerFile, 'path'>) => Omit<SemanticProblem, 'file'>[] {
  const byFile = Map.groupBy(model.problems, ({ file }) => file);
  return ({ path }) => (byFile.get(path) ?? []).map(({ file: _, ...problem }) => problem);
}

/** The files of one kind, as the schemas of all answers show them. */
function filesOfKind(layer: LayerFiles, kind: LayerFile['kind']) {
  const problems = problemsByFile(layer);
  return layer.files
    .filter((file) => file.kind === kind)
    .map((file) => ({ file, shown: { file: file.path, source: file.source, problems: problems(file) } }));
}

const stemOf = (path: string) => path.replace(/^.*\/|\.ya?ml$/gi, '');

/** Every file of an entity with its name: that of the model, else that of the file. */
function entityFiles(layer: LayerFiles) {
  const byFile = new Map(layer.model.entities.map((entity) => [entity.file, entity]));
  return filesOfKind(layer, 'entity').map(({ file, shown }) => {
    const entity = byFile.get(file.path);
    const stem = stemOf(file.path);
    const name = entity?.name ?? (file.source === 'default' ? stem : `${file.source}.${stem}`);
    return { shown, stem, name, known: entity, item: valuesOf(file)[0] as EntityItem | undefined };
  });
}

type EntityOfFile = ReturnType<typeof entityFiles>[number];

/** The catalog describes entities whose own file does not. */
const descriptionOf = ({ known, item }: EntityOfFile) => (known?.description || item?.description) ?? '';

export function entitySummaries(layer: LayerFiles) {
  return entityFiles(layer).map((entity) => {
    const { shown, name, item } = entity;
    return {
      name,
      table: item?.table ?? null,
      description: descriptionOf(entity),
      rowCount: item?.row_count ?? null,
      columnCount: item?.dimensions?.length ?? 0,
      joinCount: item?.joins?.length ?? 0,
      measureCount: item?.measures?.length ?? 0,
      type: item === undefined ? null : (item.type ?? 'table'),
      connection: item?.connection ?? (shown.source === 'default' ? null : shown.source),
      ...shown,
    };
  });
}

/** The entity of this name, else the one whose file is called so; `undefined` when there is none. */
export function entityDetail(layer: LayerFiles, name: string) {
  const entities = entityFiles(layer);
  const wanted = name.toLowerCase();
  const file = layer.model.entity(name)?.file;
  const found =
    entities.find(({ shown }) => shown.file === file) ??
    entities.find((entity) => entity.name.toLowerCase() === wanted) ??
    entities.find(({ stem }) => stem.toLowerCase() === wanted);
  return found && { entity: found.item ?? null, name: found.name, ...found.shown };
}

export function metricFiles(layer: LayerFiles) {
  const files = filesOfKind(layer, 'metrics').map(({ file, shown }) => ({ ...shown, metrics: valuesOf(file) }));
  return [...Map.groupBy(files, ({ source }) => source)].map(([source, own]) => ({ source, files: own }));
}

export function glossaryFiles(layer: LayerFiles) {
  return filesOfKind(layer, 'glossary').map(({ file, shown }) => ({ ...shown, terms: valuesOf(file) }));
}

/** The catalogs of all sources as one, as the agent reads them. */
export function catalogOf(layer: LayerFiles): { catalog: CatalogFile | null; files?: object[] } {
  const files = filesOfKind(layer, 'catalog').map(({ shown }) => shown);
  return { catalog: layer.model.catalog ?? null, ...(files.length > 0 && { files }) };
}

/** Counts what the files of entities that can be read say, and the entities that lack something. */
export function statsOf(layer: LayerFiles) {
  const entities = entityFiles(layer).filter(({ item }) => item !== undefined);
  const count = (part: 'dimensions' | 'joins' | 'measures') =>
    entities.reduce((sum, { item }) => sum + (item?.[part]?.length ?? 0), 0);
  const lacking = (part: 'dimensions' | 'joins') => entities.filter(({ item }) => !item?.[part]?.length).length;
  return {
    totalEntities: entities.length,
    totalColumns: count('dimensions'),
    totalJoins: count('joins'),
    totalMeasures: count('measures'),
    coverageGaps: {
      noDescription: entities.filter((entity) => descriptionOf(entity).trim() === '').length,
      noColumns: lacking('dimensions'),
      noJoins: lacking('joins'),
    },
  };
}
