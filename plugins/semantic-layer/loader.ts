/** Loads a semantic layer's folder into a model, and again, cheaply, when files have changed. */
import { statSync } from 'node:fs';
import { buildModel, createModel, type Finding } from './build/build-model.ts';
import { KnownSchemas } from './database/database-schema.ts';
import { hashOf, type LayerFile, parseLayerFile } from './files/layer-file.ts';
import { fitToDatabases } from './database/schema-drift.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';
import { pacer } from './files/event-loop.ts';
import { type FoundFile, readLayerFile, scanLayer } from './files/scan.ts';
import { parseYaml } from './files/yaml.ts';

/** The model of one folder. Broken files are in its `problems`; it never throws for what a file holds. */
export function loadSemanticLayer(dir: string): Promise<SemanticModel> {
  return new LayerLoader(dir).load();
}

interface Loaded {
  readonly signature: string;
  readonly file: LayerFile;
}

/** A file changed twice within the clock tick of its file system may carry the signature of the first change. */
const clockTickMs = 50;

/** Remembers what it has parsed: a second `load` looks at every file's signature and parses only what changed. */
export class LayerLoader {
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;
  readonly #files = new Map<string, Loaded>();
  #model: SemanticModel | undefined;
  #content = '';
  #schemaVersion = '';
  /** What the databases lacked. */
  #lacks = '';
  #entityFileCount = 0;
  #fitted: readonly LayerFile[] = [];

  /** `signal` stops a load that is under way: it rejects. */
  constructor(root: string, signal?: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  get root(): string {
    return this.#root;
  }

  /** Entity files found, known long before they are parsed. */
  get entityFileCount(): number {
    return this.#entityFileCount;
  }

  /** The files of the last load, the broken ones included, without what the databases do not have. */
  get files(): readonly LayerFile[] {
    return this.#fitted;
  }

  /** Of what `schemas` have. The same model object as before when nothing has changed. Not to be called again before it has settled. */
  async load(schemas = new KnownSchemas()): Promise<SemanticModel> {
    const scan = await scanLayer(this.#root, this.#signal);
    this.#entityFileCount = scan.files.filter(({ kind }) => kind === 'entity').length;
    const pause = pacer(this.#signal);
    const files: LayerFile[] = [];
    for (const found of scan.files) {
      files.push(this.#read(found));
      await pause();
    }
    const present = new Set(scan.files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!present.has(path)) this.#files.delete(path);

    const contents = files.map(({ path, hash }) => [path, hash]);
    const isSeen = schemas.version === this.#schemaVersion;
    const content = hashOf(JSON.stringify([scan.found, scan.problems, contents]));
    if (this.#model !== undefined && isSeen && content === this.#content) return this.#model;
    const fitted = fitToDatabases(files, schemas);
    const lacks = JSON.stringify(fitted.misfits.map(({ file, message }) => [file.path, message]));
    const isSame = this.#model !== undefined && content === this.#content && lacks === this.#lacks;
    this.#schemaVersion = schemas.version;
    this.#content = content;
    this.#lacks = lacks;
    if (this.#model !== undefined && isSame) return this.#model;
    const { parts, findings } = buildModel(fitted.files);
    const problems = [
      ...(scan.found ? scan.problems : [this.#missing()]),
      ...files.flatMap((file) => file.problems),
      ...(await this.#locate([...fitted.misfits, ...findings])),
    ];
    if (scan.found && problems.length === 0 && parts.entities.length === 0) problems.push(this.#empty());
    const [first] = problems;
    const notice = fitted.notice ?? (parts.entities.length > 0 || first === undefined ? undefined : noticeOf(first));
    const order = (a: SemanticProblem, b: SemanticProblem) => a.line - b.line || a.column - b.column;
    problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : order(a, b)));
    this.#fitted = fitted.files;
    this.#model = createModel(parts, (this.#model?.version ?? 0) + 1, problems, {
      ...(notice !== undefined && { notice }),
      ...(fitted.summary !== undefined && { summary: fitted.summary }),
    });
    return this.#model;
  }

  #read(found: FoundFile): LayerFile {
    const known = this.#files.get(found.path);
    if (known !== undefined && known.signature === found.signature) return known.file;
    let file: LayerFile;
    try {
      const text = readLayerFile(this.#root, found.path);
      file = known !== undefined && known.file.hash === hashOf(text) ? known.file : parseLayerFile(found, text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const problems = [{ file: found.path, line: 1, column: 1, message }];
      file = { path: found.path, kind: found.kind, source: found.source, hash: message, items: [], problems };
    }
    const isSettled = Date.now() - Number.parseFloat(found.signature) > clockTickMs;
    this.#files.set(found.path, { signature: isSettled ? found.signature : '', file });
    return file;
  }

  /** Positions are looked up only for what is reported: models do not carry them. */
  async #locate(findings: readonly Finding[]): Promise<SemanticProblem[]> {
    const pause = pacer(this.#signal);
    const problems: SemanticProblem[] = [];
    for (const [file, own] of Map.groupBy(findings, (finding) => finding.file)) {
      const yaml = this.#parseAgain(file.path);
      for (const { path, message } of own) {
        const position = yaml?.ok ? yaml.locate(path, 'value') : { line: 1, column: 1 };
        problems.push({ file: file.path, ...position, message });
      }
      await pause();
    }
    return problems;
  }

  #parseAgain(path: string): ReturnType<typeof parseYaml> | undefined {
    try {
      return parseYaml(readLayerFile(this.#root, path));
    } catch {
      return undefined;
    }
  }

  #missing(): SemanticProblem {
    const instead =
      'write one as docs/semantic-layer.md shows, generate one with "npx atlas init", or set SVC_SEMANTIC_DIR to its folder.';
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
      'The semantic layer has no entities yet; add a file to `entities/` as docs/semantic-layer.md shows, or generate them with "npx atlas init".';
    return { file: 'entities', line: 1, column: 1, message };
  }
}

/** Why a path cannot be reached; `undefined` when it can. */
function statusOf(path: string): string | undefined {
  try {
    return void statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** A problem of a layer without a single entity, for whoever asks; the text of a fault in a file may name what is hidden. */
function noticeOf({ file, line, column, message }: SemanticProblem): string {
  if (line === 1 && column === 1 && !/\.ya?ml$/i.test(file)) return message;
  return `The semantic layer has no entity that can be used: ${file}, line ${line}, column ${column} is not right; the log says why.`;
}
