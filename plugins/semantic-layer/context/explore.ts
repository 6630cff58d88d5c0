/** Answers the explore tool: lists, shows and searches the files of a semantic layer, and nothing else. */
import { stringify } from 'yaml';
import { nearest } from '../../../kernel/index.ts';
import { type EntityItem, hashOf, type LayerFile } from '../files/layer-file.ts';
import { readLayerFile } from '../files/scan.ts';
import { HiddenColumns, hiddenNames, visibleModel } from '../hidden-columns.ts';
import type { VisibleFile } from '../hooks.ts';
import type { SemanticModel } from '../model.ts';
import type { CatalogFile, GlossaryTerm, Metric, VerifiedQuery } from '../schema.ts';
import { withoutTranslations } from '../translations.ts';
import { byteLength } from './bounded-text.ts';
import { entityLine, line, renderMetric, renderTerm } from './render.ts';
import { type LayerSearch, termId } from './search.ts';

export const DEFAULT_EXPLORE_BYTES = 16 * 1024;
const MAX_SEARCH_RESULTS = 25;

/** The layer that `explore` shows. */
export interface ExploredLayer {
  readonly root: string;
  readonly files: readonly LayerFile[];
  readonly model: SemanticModel;
  readonly search: LayerSearch;
}

/**
 * Text for a path: '' lists the layer, a folder lists its files, a file shows its text without what is hidden, `?words`
 * searches. Long text is split into pages of at most `maxBytes`: `entities#2`. An unknown path is answered with one
 * sentence that names the nearest path.
 */
export async function explore(layer: ExploredLayer, path: string, maxBytes = DEFAULT_EXPLORE_BYTES): Promise<string> {
  const asked = path.trim();
  if (asked.startsWith('?')) return pageOf(await searchResults(layer, asked.slice(1)), asked, 1, maxBytes);
  const [, rawName = '', number] = /^(.*?)(?:#(\d{1,6}))?$/s.exec(asked) ?? [];
  const name = rawName.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');
  const text = folderText(layer, name) ?? fileText(layer, name) ?? unknownPath(layer, rawName);
  return pageOf(text, name, Math.max(1, Number(number ?? 1)), maxBytes);
}

/** `undefined` when there is no such folder. */
function folderText({ files, model }: ExploredLayer, folder: string): string | undefined {
  const prefix = folder === '' ? '' : `${folder}/`;
  const inside = files.filter(({ path }) => path.startsWith(prefix));
  if (folder !== '' && inside.length === 0) return undefined;
  const lines = new Map<string, string>();
  for (const file of inside) {
    const [first = '', ...rest] = file.path.slice(prefix.length).split('/');
    if (rest.length === 0) lines.set(first, `${first}: ${describeFile(file)}`);
    else if (!lines.has(first)) {
      const count = inside.filter(({ path }) => path.startsWith(`${prefix}${first}/`)).length;
      lines.set(first, `${first}/: ${count} ${count === 1 ? 'file' : 'files'}`);
    }
  }
  const title = folder === '' ? `The semantic layer, ${model.entities.length} entities:` : `${folder}/:`;
  return [title, ...lines.values()].join('\n');
}

function describeFile(file: LayerFile): string {
  const [first] = file.items;
  if (first === undefined) return file.problems.length > 0 ? 'not usable, see its problems' : 'empty';
  switch (file.kind) {
    case 'entity': {
      const { table, description } = first.value as EntityItem;
      return line(description || `table ${table}`, 100);
    }
    case 'metrics':
      return line(file.items.map(({ value }) => (value as Metric).id).join(', '), 100);
    case 'glossary':
      return line(file.items.map(({ value }) => (value as GlossaryTerm).term).join(', '), 100);
    case 'catalog':
      return line((first.value as CatalogFile).description || 'what this data is about', 100);
    case 'verified':
      return line((first.value as VerifiedQuery).question, 100);
  }
}

/** `undefined` when there is no such file. Also accepts an entity's name and a path without its extension. */
function fileText(layer: ExploredLayer, name: string): string | undefined {
  const wanted = [name, `${name}.yml`, `${name}.yaml`, layer.model.entity(name)?.file];
  const known = layer.files.find(({ path }) => wanted.includes(path));
  return known && shownText(layer, known);
}

/** The files as the model may see them. A file that cannot be read says so. */
export function visibleFiles(layer: ExploredLayer): VisibleFile[] {
  const hidden = new HiddenColumns(layer.model);
  return layer.files.map((file) => ({ path: file.path, text: shownText(layer, file, hidden) }));
}

function shownText(layer: ExploredLayer, known: LayerFile, hidden = new HiddenColumns(layer.model)): string {
  if (known.isReduced === true) return withoutHidden(hidden, known, undefined);
  let text: string;
  try {
    text = readLayerFile(layer.root, known.path);
  } catch (error) {
    return `\`${known.path}\` cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
  // A file that has changed since is shown as it was loaded.
  return withoutHidden(hidden, known, hashOf(text) === known.hash ? text : undefined);
}

/**
 * The file's own text when it contains nothing hidden, else what is left of it as YAML. A broken entity is not shown at
 * all, since what its author meant to hide is unknown.
 */
function withoutHidden(hidden: HiddenColumns, file: LayerFile, whole: string | undefined): string {
  const [problem] = file.problems;
  if (problem !== undefined && file.items.length === 0) {
    // The message may quote a value of what its author meant to hide.
    const why = file.kind === 'entity' ? 'the log says why.' : problem.message;
    return `\`${file.path}\` cannot be used, line ${problem.line}, column ${problem.column}: ${why}`;
  }
  const values = file.items.map(({ value }) => withoutTranslations(value));
  const text = values.every((value, at) => value === file.items[at]?.value) ? whole : undefined;
  switch (file.kind) {
    case 'catalog':
      return text ?? stringify(values[0]);
    case 'entity': {
      const [entity] = values as EntityItem[];
      if (entity === undefined) return text ?? `\`${file.path}\` cannot be used: the database has no such table.`;
      const own = hiddenNames(entity);
      const shown = hidden.withoutHidden(entity, own.size > 0 ? own : undefined);
      return text !== undefined && shown === entity ? withMeasured(text, file) : stringify(shown);
    }
    case 'metrics': {
      const metrics = (values as Metric[]).flatMap((metric) => hidden.shownMetric(metric) ?? []);
      const isSame =
        metrics.every((metric, at) => metric === values[at]) &&
        metrics.length === values.length &&
        problem === undefined;
      return text !== undefined && isSame ? text : stringify({ metrics });
    }
    case 'glossary': {
      const terms = (values as GlossaryTerm[]).map((term) => hidden.shownTerm(term));
      const isSame = problem === undefined && terms.every((term, index) => term === values[index]);
      return text !== undefined && isSame ? text : stringify({ terms });
    }
    case 'verified': {
      const [query] = values as VerifiedQuery[];
      if (query !== undefined && hidden.shownVerified(query)) return text ?? stringify(query);
      return `\`${file.path}\` reads what is hidden.`;
    }
  }
}

/** Facts stand below the text, as comments: a file of a large layer is not written anew for them. */
function withMeasured(text: string, { measured = [] }: LayerFile): string {
  if (measured.length === 0) return text;
  const lines = measured.map((fact) => `# ${line(fact)}`);
  return [text.trimEnd(), '# Measured since, and to be used instead:', ...lines, ''].join('\n');
}

async function searchResults({ model, search }: ExploredLayer, words: string): Promise<string> {
  const { entities, metrics, glossary } = visibleModel(model);
  const { hits } = await search.search(model, words);
  const found = hits.flatMap(({ kind, id }) => {
    if (kind === 'entity') {
      const entity = entities.find(({ name }) => name === id);
      return entity ? `${entityLine(entity)} [${entity.file}]` : [];
    }
    if (kind === 'metric') {
      const metric = metrics.find((candidate) => candidate.id === id);
      return metric ? `${renderMetric(metric, model.entity(metric.entity ?? ''))} [${metric.file}]` : [];
    }
    const term = glossary.find((candidate) => termId(candidate) === id);
    return term ? `${renderTerm(term, model.entity(term.entity ?? ''))} [${term.file}]` : [];
  });
  if (found.length === 0) return `Nothing in the semantic layer is like "${line(words, 100)}"; try other words.`;
  return [`Found for "${line(words, 100)}", best first:`, ...found.slice(0, MAX_SEARCH_RESULTS)].join('\n');
}

function unknownPath({ files }: ExploredLayer, path: string): string {
  const shown = line(path, 100);
  if (/\.\.|[\\\0%]/.test(path)) return `\`${shown}\` is not a path of the semantic layer; list it with an empty path.`;
  const paths = files.map((file) => file.path);
  const lastPart = path.replace(/^.*\//, '').replace(/\.ya?ml$/i, '');
  const stems = new Map(paths.map((known) => [known.replace(/^.*\/|\.ya?ml$/gi, ''), known]));
  const near = nearest(path, paths) ?? stems.get(nearest(lastPart, stems.keys()) ?? '');
  const hint =
    near === undefined ? 'list the layer with an empty path, or search it with `?words`' : `did you mean \`${near}\`?`;
  return `There is no \`${shown}\` in the semantic layer; ${hint}${near === undefined ? '.' : ''}`;
}

/** One page of whole lines, with a note on how to get the next. */
function pageOf(text: string, path: string, number: number, maxBytes: number): string {
  if (number === 1 && byteLength(text) <= maxBytes) return text;
  const room = maxBytes - 200;
  const pages: string[][] = [[]];
  let used = 0;
  for (const whole of text.split('\n')) {
    const shown = byteLength(whole) < room ? whole : line(whole, Math.floor(room / 4));
    used += byteLength(shown) + 1;
    if (used > room) {
      pages.push([]);
      used = byteLength(shown) + 1;
    }
    pages.at(-1)!.push(shown);
  }
  const page = pages[number - 1];
  if (page === undefined)
    return `\`${line(path, 100)}\` has ${pages.length === 1 ? 'one page' : `${pages.length} pages`}.`;
  if (number < pages.length)
    page.push(`… page ${number} of ${pages.length}; the next is \`${line(path, 80)}#${number + 1}\`.`);
  return page.join('\n');
}
