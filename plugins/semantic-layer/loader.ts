/** Loads the folder of a semantic layer into a model; loading it again parses only changed files. */
import { statSync } from 'node:fs';
import { messageOf } from '../../kernel/index.ts';
import { buildModel, createModel } from './build/build-model.ts';
import { KnownSchemas } from './database/database-schema.ts';
import { removeSchemaDrift } from './database/schema-drift.ts';
import { withFacts } from './facts/layer-facts.ts';
import { type Finding, hashOf, type LayerFile, MAX_PROBLEMS } from './files/layer-file.ts';
import { LayerParser } from './files/layer-parser.ts';
import type { LocatedText, PlacedText } from './files/parser-tasks.ts';
import { type FoundFile, readLayerFile, scanLayer } from './files/scan.ts';
import { withoutProtectedValues } from './files/withheld-values.ts';
import type { IsProtected, LayerFacts } from './hooks.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

/** Loads the model of a folder. Reports broken files in its `problems` instead of throwing. */
export function loadSemanticLayer(dir: string): Promise<SemanticModel> {
  return new LayerLoader(dir).load();
}

interface Loaded {
  readonly signature: string;
  readonly file: LayerFile;
}

export interface LoaderSettings {
  /** Makes a running load reject. */
  readonly signal?: AbortSignal;
  readonly parser?: LayerParser;
  /** Which tables show no values; asked at each load. */
  readonly isProtected?: (() => IsProtected | undefined) | undefined;
  /** Files of another load, which are not parsed again where they have the same content. */
  readonly known?: readonly LayerFile[];
}

/** Resolution of file times: a second change within it may leave the signature unchanged. */
const CLOCK_TICK_MS = 50;

/** Loads one folder repeatedly: checks every file's signature and parses only changed files. */
export class LayerLoader {
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;
  readonly #isProtected: LoaderSettings['isProtected'];
  readonly #parser: LayerParser;
  readonly #files = new Map<string, Loaded>();
  #model: SemanticModel | undefined;
  #content = '';
  #schemaVersion = '';
  /** What the databases lacked at the last load. */
  #drift = '';
  #facts: LayerFacts | undefined;
  #entityFileCount = 0;
  #matchedFiles: readonly LayerFile[] = [];
  #writtenFiles: readonly LayerFile[] = [];

  constructor(root: string, { signal, parser = new LayerParser(), isProtected, known = [] }: LoaderSettings = {}) {
    this.#root = root;
    this.#isProtected = isProtected;
    this.#signal = signal;
    this.#parser = parser;
    for (const file of known) this.#files.set(file.path, { signature: '', file });
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
   * Loads what `schemas` have of the layer, with `facts`; returns the same model object when nothing has changed. Call it
   * again only once it has settled.
   */
  async load(schemas = new KnownSchemas(), facts?: LayerFacts): Promise<SemanticModel> {
    const scan = scanLayer(this.#root);
    this.#entityFileCount = scan.files.filter(({ kind }) => kind === 'entity').length;
    const files = await this.#read(scan.files);
    const present = new Set(scan.files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!present.has(path)) this.#files.delete(path);

    const contents = files.map(({ path, hash }) => [path, hash]);
    const isSameSchema = schemas.version === this.#schemaVersion && facts === this.#facts;
    const content = hashOf(JSON.stringify([scan.found, scan.problems, contents]));
    if (this.#model !== undefined && isSameSchema && content === this.#content) return this.#model;
    const matched = removeSchemaDrift(files, schemas);
    const drift = JSON.stringify(matched.findings.map(({ file, message }) => [file.path, message]));
    const isSame = content === this.#content && drift === this.#drift && facts === this.#facts;
    this.#schemaVersion = schemas.version;
    this.#content = content;
    this.#drift = drift;
    this.#facts = facts;
    if (this.#model !== undefined && isSame) return this.#model;
    const shown = withoutProtectedValues(withFacts(matched.files, facts), this.#isProtected?.());
    const { parts, findings } = buildModel(shown);
    const problems = [
      ...(scan.found ? scan.problems : [this.#missing()]),
      ...files.flatMap((file) => file.problems),
      ...(await this.#locate([...matched.findings, ...findings])),
    ];
    if (scan.found && problems.length === 0 && parts.entities.length === 0) problems.push(this.#empty());
    const isEmpty = parts.entities.length === 0;
    // A file of which nothing can be used is missed, also beside others; a verified query was not asked for.
    const missed = files.filter(({ kind, items }) => items.length === 0 && kind !== 'verified');
    const [first] = isEmpty ? problems : missed.flatMap((file) => file.problems);
    const notice = matched.notice ?? (first && noticeOf(first, isEmpty));
    const order = (a: SemanticProblem, b: SemanticProblem) => a.line - b.line || a.column - b.column;
    problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : order(a, b)));
    this.#matchedFiles = shown;
    this.#writtenFiles = files;
    this.#model = createModel(parts, (this.#model?.version ?? 0) + 1, problems, {
      ...(notice !== undefined && { notice }),
      ...(matched.summary !== undefined && { summary: matched.summary }),
    });
    return this.#model;
  }

  async #read(found: readonly FoundFile[]): Promise<LayerFile[]> {
    const signatures: string[] = [];
    const keep = (file: LayerFile, signature: string) => void this.#files.set(file.path, { signature, file });
    const parsed = await this.#parser.parse(this.#changed(found, signatures, keep));
    this.#signal?.throwIfAborted();
    parsed.forEach((file, index) => void keep(file, signatures[index]!));
    return found.flatMap(({ path }) => this.#files.get(path)?.file ?? []);
  }

  /** Texts that have to be parsed, with their signatures in `signatures`; `keep` takes what of the others has changed. */
  *#changed(
    found: readonly FoundFile[],
    signatures: string[],
    keep: (file: LayerFile, signature: string) => void,
  ): Generator<PlacedText> {
    for (const { path, kind, source, signature: whole } of found) {
      const known = this.#files.get(path);
      if (known?.signature === whole) continue;
      this.#signal?.throwIfAborted();
      const isSettled = Date.now() - Number.parseFloat(whole) > CLOCK_TICK_MS;
      const signature = isSettled ? whole : '';
      try {
        const text = readLayerFile(this.#root, path);
        if (known?.file.hash === hashOf(text)) {
          keep(known.file, signature);
          continue;
        }
        signatures.push(signature);
        yield { path, kind, source, text };
      } catch (error) {
        const message = messageOf(error);
        const problems = [{ file: path, line: 1, column: 1, message }];
        keep({ path, kind, source, hash: message, items: [], problems }, signature);
      }
    }
  }

  /** Looks up line and column of the findings, which the model does not store. */
  async #locate(findings: readonly Finding[]): Promise<SemanticProblem[]> {
    const byFile = [...Map.groupBy(findings, ({ file }) => file.path)];
    const shown = byFile.map(([path, own]) => ({ path, own: own.slice(0, MAX_PROBLEMS) }));
    const positions = await this.#parser.positions(this.#located(shown));
    this.#signal?.throwIfAborted();
    return shown.flatMap(({ path, own }, at) =>
      own.map(({ message }, index) => ({
        file: path,
        ...(positions[at]?.[index] ?? { line: 1, column: 1 }),
        message,
      })),
    );
  }

  *#located(files: readonly { readonly path: string; readonly own: readonly Finding[] }[]): Generator<LocatedText> {
    for (const { path, own } of files) {
      const paths = own.map((finding) => finding.path);
      yield { text: textOf(this.#root, path), paths };
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

/** Empty for a file that cannot be read any more. */
function textOf(root: string, path: string): string {
  try {
    return readLayerFile(root, path);
  } catch {
    return '';
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
