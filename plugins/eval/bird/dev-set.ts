/** Reads a folder in the layout of BIRD: `dev.json`, and below `dev_databases/` a folder for each database. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AtlasError } from '../../../kernel/index.ts';

/** One question of `dev.json`. */
export interface BirdQuestion {
  readonly id: string;
  readonly database: string;
  readonly question: string;
  /** What the words of the question mean in this database; may be empty. */
  readonly evidence: string;
  readonly sql: string;
  readonly difficulty: string;
}

const MAX_BYTES = 64 * 1024 * 1024;

const unusable = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'configuration_error', reason: 'E_BIRD', ...(hint !== undefined && { hint }) });

/** `shown` names the folder in messages. */
export function readDevSet(folder: string, shown: string): BirdQuestion[] {
  const path = join(folder, 'dev.json');
  if (!existsSync(path)) {
    throw unusable(
      `${shown} has no dev.json.`,
      'Give the folder that holds dev.json and dev_databases with --bird-path.',
    );
  }
  if (statSync(path).size > MAX_BYTES) throw unusable(`${shown}/dev.json is larger than 64 MiB.`);
  let listed: unknown;
  try {
    listed = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    throw unusable(`${shown}/dev.json is not JSON.`);
  }
  if (!Array.isArray(listed) || listed.length === 0) throw unusable(`${shown}/dev.json is not a list of questions.`);
  const ids = new Set<string>();
  return listed.map((item: unknown, index) => {
    const found = questionOf(item, index);
    if (found === undefined) {
      throw unusable(`${shown}/dev.json: item ${index + 1} needs the texts db_id, question and SQL.`);
    }
    if (ids.has(found.id)) throw unusable(`${shown}/dev.json has the question_id ${found.id} twice.`);
    ids.add(found.id);
    return found;
  });
}

function questionOf(item: unknown, index: number): BirdQuestion | undefined {
  const {
    question_id: id = index,
    db_id: database,
    question,
    evidence,
    SQL: sql,
    difficulty,
  } = Object(item) as Record<string, unknown>;
  const isName = typeof database === 'string' && /^[\w-]+$/.test(database);
  if (!isName || typeof question !== 'string' || typeof sql !== 'string') return undefined;
  return {
    id: String(id),
    database,
    question,
    evidence: typeof evidence === 'string' ? evidence.trim() : '',
    sql,
    difficulty: typeof difficulty === 'string' ? difficulty : '',
  };
}

export const databaseFile = (folder: string, name: string) => join(folder, 'dev_databases', name, `${name}.sqlite`);

export const descriptionsFolder = (folder: string, name: string) =>
  join(folder, 'dev_databases', name, 'database_description');
