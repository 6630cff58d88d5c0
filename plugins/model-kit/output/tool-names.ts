/** Finds the offered tool that a model means by a name. */

/**
 * Finds an offered tool by the name that a model wrote; `undefined` when there is none, or more than one. With the
 * arguments of the call a near name is enough, or none at all, when these fit that tool alone.
 */
export type FindTool = (written: string, args?: unknown) => string | undefined;

/** Whether arguments fit the schema of a tool. */
export type FitsTool = (toolName: string, args: unknown) => boolean;

/** What models and their servers put around a name. */
const AROUND = /^["'`]|^(?:functions?|tools?|default_api|api|mcp)[.:/]|(?::\d{1,6}|\.call|\(\)|["'`])+$/g;

const folded = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]/gu, '');

/** Words that models use for others in names: `run_sql_query` for `executeSQL`. */
const MEANINGS = new Map(
  Object.entries({
    execute: 'run exec perform',
    sql: 'query statement select database db sqlite postgres postgresql mysql mariadb duckdb',
    find: 'search lookup',
    clarify: 'ask clarification',
  }).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning] as const)),
);
const FILLERS = new Set(['tool', 'function', 'call', 'the', 'a', 'on', 'in', 'user', 'question', 'mcp', 'atlas']);
/** What every tool does. */
const DOES = 'execute';

function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.flatMap((word) => {
    const singular = word.toLowerCase().replace(/(?<=\w{3})s$/, '');
    return FILLERS.has(singular) ? [] : (MEANINGS.get(singular) ?? singular);
  });
}

/**
 * Exact names win; then case, underscores, prefixes such as `functions.` and control tokens make no difference; then what
 * clients of the Model Context Protocol put in front (`mcp__atlas__executeSQL`, `atlas-executeSQL`); then other words for
 * the same, if the arguments fit.
 */
export function findTool(names: readonly string[], fits: FitsTool): FindTool {
  const exact = new Set(names);
  const byFolded = new Map<string, string | undefined>();
  for (const name of names) byFolded.set(folded(name), byFolded.has(folded(name)) ? undefined : name);
  const words = names.map((name) => ({ name, words: new Set(wordsOf(name)) }));
  const near = (written: string, args: unknown) => {
    const meant = wordsOf(written);
    const isNear = (own: ReadonlySet<string>) =>
      meant.every((word) => word === DOES || own.has(word)) && meant.some((word) => word !== DOES && own.has(word));
    const able = words.filter(({ name, words: own }) => (meant.length === 0 || isNear(own)) && fits(name, args));
    return able.length === 1 ? able[0]?.name : undefined;
  };
  return (written, args) => {
    if (exact.has(written)) return written;
    // gpt-oss writes control tokens around names: `executeSQL<|channel|>commentary`.
    const pieces = written.slice(0, 128).split(/<[^<>]*>?/);
    for (const piece of pieces) {
      const name = piece.trim().replace(AROUND, '');
      const found = exact.has(name)
        ? name
        : (byFolded.get(folded(name)) ?? byFolded.get(folded(name.split(/__|[-./:]/).at(-1) ?? '')));
      if (found !== undefined) return found;
    }
    return args === undefined ? undefined : near(pieces[0] ?? '', args);
  };
}
