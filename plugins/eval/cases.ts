/** Reads the cases of `eval/cases/*.yml`, and reports what is wrong in them with file, line and column. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { AtlasError, type Static, Type } from '../../kernel/index.ts';
import { checkSchema, parseYaml } from '../semantic-layer/index.ts';

/** Where cases stand, below the working directory. */
export const CASES_DIR = 'eval/cases';
const DIFFICULTIES = ['simple', 'medium', 'complex'] as const;

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_PROBLEMS = 50;

const text = Type.String({ minLength: 1 });
const closed = { additionalProperties: false };
const Case = Type.Object(
  {
    id: text,
    question: text,
    sql: Type.Optional(Type.Union([text, Type.Array(text, { minItems: 1 })])),
    category: Type.Optional(text),
    difficulty: Type.Optional(Type.Union(DIFFICULTIES.map((name) => Type.Literal(name)))),
    tags: Type.Optional(Type.Array(text)),
    clarify: Type.Optional(Type.Boolean()),
  },
  closed,
);
const CaseFile = Type.Object({ schema: Type.Optional(text), cases: Type.Array(Case) }, closed);

export interface EvalCase {
  readonly id: string;
  readonly question: string;
  /** Every right answer; one of them must be given. */
  readonly sql: readonly string[];
  readonly category: string;
  readonly difficulty: string;
  readonly tags: readonly string[];
  /** The agent is to ask which meaning is meant. */
  readonly clarify: boolean;
  /** What the question is about: the file's key `schema`, else its name. */
  readonly schema: string;
  /** Changes when question or expected answer change. */
  readonly hash: string;
}

interface CaseProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** All cases of the folder `dir`, which may be relative to `cwd`. Throws `configuration_error` with every problem, one a line. */
export function readCases(cwd: string, dir = CASES_DIR): EvalCase[] {
  const files = globSync('*.{yml,yaml}', { cwd: resolve(cwd, dir) })
    .map((name) => join(dir, name))
    .sort();
  if (files.length === 0) {
    throw new AtlasError(`There are no cases in ${dir}.`, {
      code: 'configuration_error',
      hint: 'Write questions with their SQL into a file there, as docs/evaluation.md shows.',
    });
  }
  const problems: CaseProblem[] = [];
  const ids = new Map<string, string>();
  const cases = files.flatMap((file) => casesOf(cwd, file, ids, problems));
  if (problems.length === 0) return cases;
  const lines = problems.slice(0, MAX_PROBLEMS).map((at) => `${at.file}:${at.line}:${at.column}: ${at.message}`);
  if (problems.length > MAX_PROBLEMS) lines.push(`… and ${problems.length - MAX_PROBLEMS} more problems.`);
  throw new AtlasError(lines.join('\n'), { code: 'configuration_error', reason: 'E_EVAL_CASES' });
}

function casesOf(cwd: string, file: string, ids: Map<string, string>, problems: CaseProblem[]): EvalCase[] {
  const report = (message: string, at = { line: 1, column: 1 }) => void problems.push({ file, ...at, message });
  const source = fileText(resolve(cwd, file), report);
  if (source === undefined) return [];
  const yaml = parseYaml(source);
  if (!yaml.ok) {
    for (const { message, ...at } of yaml.problems) report(message, at);
    return [];
  }
  const found = checkSchema(CaseFile, yaml.value);
  for (const { path, at, message } of found) report(message, yaml.locate(path, at));
  if (found.length > 0) return [];
  const { schema = basename(file).replace(/\.ya?ml$/, ''), cases } = yaml.value as Static<typeof CaseFile>;
  return cases.map((item, index): EvalCase => {
    const at = yaml.locate(['cases', index, 'id'], 'value');
    const other = ids.get(item.id);
    if (other !== undefined) report(`The id "${item.id}" is taken, in ${other}; choose another.`, at);
    ids.set(item.id, `${file}:${at.line}`);
    const { id, question, category = '', difficulty = '', tags = [], clarify = false } = item;
    const sql = item.sql === undefined ? [] : [item.sql].flat();
    if (sql.length === 0 && !clarify) {
      report(
        `The case "${id}" has neither \`sql\` nor \`clarify: true\`; give the statement whose result is right.`,
        at,
      );
    }
    const hash = createHash('sha256')
      .update(JSON.stringify([question, sql, clarify]))
      .digest('hex')
      .slice(0, 12);
    return { id, question, sql, category, difficulty, tags, clarify, schema, hash };
  });
}

function fileText(path: string, report: (message: string) => void): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_FILE_BYTES) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    report('The file is larger than 4 MiB; split it.');
  } catch (error) {
    const isEncoding = error instanceof TypeError;
    report(
      isEncoding ? 'The file is not UTF-8 text; save it as UTF-8.' : 'The file cannot be read; check its permissions.',
    );
  }
  return undefined;
}
