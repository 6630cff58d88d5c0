/** Reads what only ClickHouse has in FROM: FINAL, SAMPLE, ARRAY JOIN, and the words of its joins. */
import type { ArraySource, Expr, From, Join, NamedColumn, Source, TableSource } from '../../ast/tree.ts';
import type { Cursor } from '../../parse/cursor.ts';

const SHARE = /^\d{1,9}(?:\.\d{1,9})?$/;

/** `FINAL SAMPLE 1 / 10 OFFSET 1 / 2`, behind a table and its alias. */
export function tableHints(cursor: Cursor): Partial<TableSource> | undefined {
  const words: string[] = [];
  if (cursor.accept('FINAL')) words.push('FINAL');
  if (cursor.accept('SAMPLE')) {
    words.push(`SAMPLE ${share(cursor)}`);
    if (cursor.accept('OFFSET')) words.push(`OFFSET ${share(cursor)}`);
  }
  return words.length === 0 ? undefined : { sample: words.join(' ') };
}

/** `0.1` or `1 / 10`. */
function share(cursor: Cursor): string {
  const number = () => {
    const { kind, value } = cursor.token;
    if (kind !== 'number' || !SHARE.test(value)) throw cursor.unexpected('a number');
    return cursor.advance().value;
  };
  const at = cursor.token.start;
  const first = number();
  const second = cursor.acceptOperator('/') ? number() : undefined;
  // More than one is a number of rows: of all that there are, hidden ones included.
  if (!(Number(first) / Number(second ?? 1) <= 1)) {
    throw cursor.fail('syntax', 'SAMPLE takes a share', 'For example SAMPLE 0.1.', at);
  }
  return second === undefined ? first : `${first} / ${second}`;
}

const WORDS = new Set([
  'ALL',
  'ANTI',
  'ANY',
  'ASOF',
  'CROSS',
  'FULL',
  'GLOBAL',
  'INNER',
  'LEFT',
  'LOCAL',
  'OUTER',
  'PASTE',
  'RIGHT',
  'SEMI',
]);
const KINDS = ['LEFT', 'RIGHT', 'FULL', 'CROSS'] as const;

/** `GLOBAL ANY LEFT JOIN` and the like, their words in any order; `ARRAY JOIN`; `undefined` for the plain ones. */
export function join(cursor: Cursor): Pick<Join, 'kind' | 'natural' | 'asof' | 'words'> | undefined {
  if (cursor.acceptWords('ARRAY', 'JOIN')) return { kind: 'JOIN', natural: false, words: 'ARRAY' };
  if (cursor.acceptWords('LEFT', 'ARRAY', 'JOIN')) return { kind: 'JOIN', natural: false, words: 'LEFT ARRAY' };
  const words = new Set<string>();
  while (WORDS.has(cursor.peek(words.size).keyword)) words.add(cursor.peek(words.size).keyword);
  const isPlain = !['ALL', 'ANTI', 'ANY', 'ASOF', 'GLOBAL', 'LOCAL', 'PASTE', 'SEMI'].some((word) => words.has(word));
  if (isPlain || cursor.peek(words.size).keyword !== 'JOIN') return undefined;
  for (let count = 0; count <= words.size; count += 1) cursor.advance();
  const kind = KINDS.find((word) => words.has(word));
  // ALL is what the engine does anyway.
  const special = ['GLOBAL', 'LOCAL', 'ANY', 'SEMI', 'ANTI', 'PASTE'].filter((word) => words.has(word)).join(' ');
  const plain: Pick<Join, 'kind' | 'natural'> = { kind: kind === undefined ? 'JOIN' : `${kind} JOIN`, natural: false };
  return { ...plain, ...(special !== '' && { words: special }), ...(words.has('ASOF') && { asof: true }) };
}

/** `array AS name, …` after ARRAY JOIN; `undefined` elsewhere. */
export function arrays(cursor: Cursor): Source | undefined {
  if (cursor.peek(-1).keyword !== 'JOIN' || cursor.peek(-2).keyword !== 'ARRAY') return undefined;
  const source: ArraySource = {
    kind: 'arrays',
    at: cursor.token.start,
    arrays: cursor.list(() => array(cursor)),
    alias: undefined,
  };
  return source;
}

function array(cursor: Cursor): NamedColumn {
  const expr: Expr = cursor.expression();
  return { kind: 'column', expr, alias: cursor.alias(), text: undefined };
}

const MOST_SOURCES = 300;

/** A name in FROM by which another source beside it goes means that source, whatever table has the name. */
export function refuseNamesakes(cursor: Cursor, from: From): void {
  const sources = sourcesOf(from);
  // The guard refuses more.
  if (sources.length > MOST_SOURCES) return;
  for (const source of sources) {
    if (source.kind !== 'table' || source.schema !== undefined) continue;
    const isSame = (other: Source) =>
      other.kind === 'table' && other.schema === undefined && other.name === source.name;
    const isTaken = sources.some((other) => nameOf(other) === source.name && !isSame(other));
    if (isTaken) {
      const what = `"${source.name}" is the name of a table and of something else in FROM`;
      throw cursor.fail('table', what, 'Give the latter another alias.', source.at);
    }
  }
}

const nameOf = (source: Source) => source.alias ?? (source.kind === 'table' ? source.name : undefined);

const sourcesOf = ({ first, joins }: From): Source[] =>
  [first, ...joins.map(({ source }) => source)].flatMap((source) =>
    source.kind === 'join' ? [source, ...sourcesOf(source.from)] : [source],
  );
