/** Builds the text index of every layer in a folder, and measures it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LayerSearch } from './context/search.ts';
import { LayerLoader } from './loader.ts';
import type { SemanticModel } from './model.ts';

export interface LayerIndex {
  /** `default`, the name of a source's folder, or `.orgs/<id>`. */
  readonly layer: string;
  readonly entities: number;
  readonly columns: number;
  readonly metrics: number;
  readonly terms: number;
  readonly documents: number;
  /** Different words in the index. */
  readonly words: number;
  readonly problems: number;
  readonly buildMs: number;
}

const ORGANIZATIONS = '.orgs';

async function measured(layer: string, model: SemanticModel): Promise<LayerIndex> {
  const { entities, metrics, glossary, problems } = model;
  const startedAt = performance.now();
  const { documents, words } = await new LayerSearch().size(model);
  return {
    layer,
    entities: entities.length,
    columns: entities.reduce((sum, { dimensions }) => sum + dimensions.length, 0),
    metrics: metrics.length,
    terms: glossary.length,
    documents,
    words,
    problems: problems.length,
    buildMs: Math.round(performance.now() - startedAt),
  };
}

/** The part of a model that comes from one source. */
const ofSource = (model: SemanticModel, source: string): SemanticModel => ({
  ...model,
  entities: model.entities.filter((entity) => entity.source === source),
  metrics: model.metrics.filter((metric) => metric.source === source),
  glossary: model.glossary.filter((term) => term.source === source),
  problems: model.problems.filter(({ file }) => file.startsWith(`${source}/`)),
});

/** The shared layer by source, then those of the organizations. */
export async function layerIndexes(dir: string, signal: AbortSignal): Promise<LayerIndex[]> {
  const model = await new LayerLoader(dir, { signal }).load();
  const parts = [...model.entities, ...model.metrics, ...model.glossary];
  const sources = [...new Set(parts.map(({ source }) => source))].filter((source) => source !== 'default').sort();
  const inSources = sources.map((source) => ofSource(model, source));
  const named = new Set(inSources.flatMap(({ problems }) => problems));
  const indexes = [
    await measured('default', {
      ...ofSource(model, 'default'),
      problems: model.problems.filter((problem) => !named.has(problem)),
    }),
  ];
  for (const [position, part] of inSources.entries()) indexes.push(await measured(sources[position] ?? '', part));
  const organizations = join(dir, ORGANIZATIONS);
  const ids = existsSync(organizations) ? readdirSync(organizations, { withFileTypes: true }) : [];
  for (const entry of ids.filter((found) => found.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = await new LayerLoader(join(organizations, entry.name), { signal }).load();
    indexes.push(await measured(`${ORGANIZATIONS}/${entry.name}`, own));
  }
  return indexes;
}
