/** Loads the folder of a semantic layer into a model; loading it again parses only changed files. */
import { statSync } from 'node:fs';
import { timeSlicer } from '../event-loop-kit/index.ts';
import { buildModel, createModel } from './build/build-model.ts';
import { KnownSchemas } from './database/database-schema.ts';
import { removeSchemaDrift } from './database/schema-drift.ts';
import { type Finding, hashOf, type LayerFile, MAX_PROBLEMS } from './files/layer-file.ts';
import { LayerParser } from './files/layer-parser.ts';
import { type FoundFile, readLayerFile, scanLayer } from './files/scan.ts';
import type { Position } from './files/yaml.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

/** Loads the model of a folder. Reports broken files in its `problems` instead of throwing. */
export function loadSemanticLayer(dir: string): Promise<SemanticModel> {
  return new LayerLoader(dir).load();
}

interface Loaded {
  readonly signature: string;
  readonly file: LayerFile;
}

/** Resolution of file times: a second change within it may leave the signature unchanged. */
const CLOCK_TICK_MS = 50;

/** Loads one folder repeatedly: checks every file's signature and parses only changed files. */
export class LayerLoader {
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;
  readonly #parser: LayerParser;
  readonly #files = new Map<string, Loaded>();
  #model: SemanticModel | undefined;
  #content = '';
  #schemaVersion = '';
  /** What the databases lacked at the last load. */
  #drift = '';
  #entityFileCount = 0;
  #matchedFiles: readonly LayerFile[] = [];
  #writtenFiles: readonly LayerFile[] = [];

  /** `signal` makes a running load reject. */
  constructor(root: string, signal?: AbortSignal, parser = new LayerParser()) {
    this.#root = root;
    this.#signal = signal;
    this.#parser = parser;
  }

  get root(): string {
    return this.#root;
  }

  /** Number of entity files found, known before they are parsed. */
  get entityFileCount(): number {
    return this.#entityFileCount;
  }

  /** The files of the last load, including broken ones, without what the databases lack. */
  get files(): readonly LayerFile[] {
    return this.#matchedFiles;
  }

  /** The same files with what the databases lack. */
  get writtenFiles(): readonly LayerFile[] {
    return this.#writtenFiles;
  }

  /**
   * Loads what `schemas` have of the layer; returns the same model object when nothing has changed. Call it again only
   * once it has settled.
   */
  async load(schemas = new KnownSchemas()): Promise<SemanticModel> {
    const scan = await scanLayer(this.#root, this.#signal);
    this.#entityFileCount = scan.files.filter(({ kind }) => kind === 'entity').length;
    const pause = timeSlicer(this.#signal);
    const files: LayerFile[] = [];
    for (const found of scan.files) {
      files.push(await this.#read(found));
      await pause();
    }
    const present = new Set(scan.files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!present.has(path)) this.#files.delete(path);

    const contents = files.map(({ path, hash }) => [path, hash]);
    const isSameSchema = schemas.version === this.#schemaVersion;
    const content = hashOf(JSON.stringify([scan.found, scan.problems, contents]));
    if (this.#model !== undefined && isSameSchema && content === this.#content) return this.#model;
    const matched = removeSchemaDrift(files, schemas);
    const drift = JSON.stringify(matched.findings.map(({ file, message }) => [file.path, message]));
    const isSame = this.#model !== undefined && content === this.#content && drift === this.#drift;
    this.#schemaVersion = schemas.version;
    this.#content = content;
    this.#drift = drift;
    if (this.#model !== undefined && isSame) return this.#model;
    const { parts, findings } = buildModel(matched.files);
    const problems = [
      ...(scan.found ? scan.problems : [this.#missing()]),
      ...files.flatMap((file) => file.problems),
      ...(await this.#locate([...matched.findings, ...findings])),
    ];
    if (scan.found && problems.length === 0 && parts.entities.length === 0) problems.push(this.#empty());
    const isEmpty = parts.entities.length === 0;
    // A file of which nothing can be used is missed, also beside others.
    const [first] = isEmpty ? problems : files.flatMap((file) => (file.items.length === 0 ? file.problems : []));
    const notice = matched.notice ?? (first && noticeOf(first, isEmpty));
    const order = (a: SemanticProblem, b: SemanticProblem) => a.line - b.line || a.column - b.column;
    problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : order(a, b)));
    this.#matchedFiles = matched.files;
    this.#writtenFiles = files;
    this.#model = createModel(parts, (this.#model?.version ?? 0) + 1, problems, {
      ...(notice !== undefined && { notice }),
      ...(matched.summary !== undefined && { summary: matched.summary }),
    });
    return this.#model;
  }

  async #read(found: FoundFile): Promise<LayerFile> {
    const known = this.#files.get(found.path);
    if (known !== undefined && known.signature === found.signature) return known.file;
    let file: LayerFile;
    try {
      const text = readLayerFile(this.#root, found.path);
      file =
        known !== undefined && known.file.hash === hashOf(text) ? known.file : await this.#parser.parse(found, text);
    } catch (error) {
      this.#signal?.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      const problems = [{ file: found.path, line: 1, column: 1, message }];
      file = { path: found.path, kind: found.kind, source: found.source, hash: message, items: [], problems };
    }
    const isSettled = Date.now() - Number.parseFloat(found.signature) > CLOCK_TICK_MS;
    this.#files.set(found.path, { signature: isSettled ? found.signature : '', file });
    return file;
  }

  /** Looks up line and column of the findings, which the model does not store. */
  async #locate(findings: readonly Finding[]): Promise<SemanticProblem[]> {
    const pause = timeSlicer(this.#signal);
    const problems: SemanticProblem[] = [];
    for (const [file, own] of Map.groupBy(findings, (finding) => finding.file)) {
      const shown = own.slice(0, MAX_PROBLEMS);
      const positions = await this.#positions(file.path, shown);
      shown.forEach(({ message }, index) => {
        problems.push({ file: file.path, ...(positions[index] ?? { line: 1, column: 1 }), message });
      });
      await pause();
    }
    return problems;
  }

  async #positions(file: string, findings: readonly Finding[]): Promise<readonly Position[]> {
    try {
      const paths = findings.map(({ path }) => path);
      return await this.#parser.positions(readLayerFile(this.#root, file), paths);
    } catch {
      return [];
    }
  }

  #missing(): SemanticProblem {
    const instead =
      'write one as docs/semantic-layer.md shows, generate one with "npx atlas-query init", or set SVC_SEMANTIC_DIR to its folder.';
    const found = statusOf(this.#root);
    const message =
      found === 'ENOENT'
        ? `There is no semantic layer in \`${this.#root}\`; ${instead}`
        : found === undefined
          ? `\`${this.#root}\` is not a folder; ${instead}`
          : `The semantic layer in \`${this.#root}\` cannot be reached (${found}); check the permissions of the folder.`;
    return { file: found === 'ENOENT' ? '.' : this.#root, line: 1, column: 1, message };
  }

  #empty(): SemanticProblem {
    const message =
      'The semantic layer has no entities yet; add a file to `entities/` as docs/semantic-layer.md shows, or generate them with "npx atlas-query init".';
    return { file: 'entities', line: 1, column: 1, message };
  }
}

/** The error code of a path that cannot be accessed; `undefined` when it can. */
function statusOf(path: string): string | undefined {
  try {
    return void statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Explains to users why the layer has no entity, or lacks a file. A problem's own text may contain hidden names. */
function noticeOf({ file, line, column, message }: SemanticProblem, isEmpty: boolean): string {
  if (line === 1 && column === 1 && !/\.ya?ml$/i.test(file)) return message;
  const lack = isEmpty
    ? 'The semantic layer has no entity that can be used'
    : 'A file of the semantic layer is not used';
  return `${lack}: ${file}, line ${line}, column ${column} is invalid; the log says why, as does "npx atlas-query validate".`;
}
