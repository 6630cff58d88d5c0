/** Makes the semantic layer of one database of BIRD in a temporary folder: profiled, with BIRD's descriptions. */
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { AtlasConfig, CreateAppOptions } from '../../../kernel/index.ts';
import { generateLayer } from '../../semantic-init/index.ts';
import { type OwnData, withData } from '../composition.ts';
import { described, readDescriptions } from './descriptions.ts';
import { evidenceTerms } from './evidence.ts';

/** Bytes of the header of a SQLite file that tell how it is written and read; 2 is the write-ahead log. */
const FORMAT_AT = 18;
const WRITE_AHEAD_LOG = 2;
const GLOSSARY = 'glossary.yml';

export interface BirdData extends OwnData, Disposable {
  /** Makes the evidence of a question the glossary of the layer; without any the layer has none. */
  setEvidence(evidence: string): void;
}

export interface BirdDataInit {
  readonly database: string;
  readonly descriptions: string;
  readonly config: AtlasConfig;
  readonly options: CreateAppOptions;
  readonly limits: object;
  readonly signal: AbortSignal;
}

/** Opening a database in this mode makes files beside it, and nothing is written there. */
function hasWriteAheadLog(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header[FORMAT_AT] === WRITE_AHEAD_LOG;
}

export async function birdData(init: BirdDataInit): Promise<BirdData> {
  const { config, options, limits, signal } = init;
  const folder = mkdtempSync(join(tmpdir(), 'atlas-bird-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    let { database } = init;
    if (hasWriteAheadLog(database)) {
      database = join(folder, 'data.sqlite');
      copyFileSync(init.database, database);
    }
    const data = { database, layerDir: join(folder, 'semantic'), limits };
    const descriptions = readDescriptions(init.descriptions);
    const files = await generateLayer({
      ...{ config: withData(config, data), options, signal },
      describe: (tables) => described(tables, descriptions),
    });
    // The glossary is that of each question: its evidence settles what its words mean.
    for (const [path, value] of files) if (path !== GLOSSARY) write(join(data.layerDir, path), shown(value));
    const glossary = join(data.layerDir, GLOSSARY);
    const setEvidence = (evidence: string) => {
      const terms = evidenceTerms(evidence);
      if (terms.length === 0) rmSync(glossary, { force: true });
      else write(glossary, { terms });
    };
    return { ...data, setEvidence, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, stringify(value));
}

/** The data are public: no column of them is a secret, whatever it is called. */
function shown(value: unknown): unknown {
  const { dimensions } = Object(value) as { dimensions?: readonly object[] };
  if (dimensions === undefined) return value;
  return { ...Object(value), dimensions: dimensions.map((dimension) => ({ ...dimension, hidden: undefined })) };
}
