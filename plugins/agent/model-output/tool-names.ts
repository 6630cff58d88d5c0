/** Finds the offered tool that a model means by a name. */

/** Finds an offered tool by the name that a model wrote; `undefined` when there is none, or more than one. */
export type FindTool = (written: string) => string | undefined;

/** What models and their servers put around a name. */
const AROUND = /^(?:functions?|tools?|default_api|api|mcp)[.:/]|(?::\d{1,6}|\.call)$/g;

const folded = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]/gu, '');

/**
 * Exact names win; then case, underscores, prefixes such as `functions.` and control tokens make no difference; then what
 * clients of the Model Context Protocol put in front: `mcp__atlas__executeSQL`, `atlas-executeSQL`.
 */
export function findTool(names: readonly string[]): FindTool {
  const exact = new Set(names);
  const byFolded = new Map<string, string | undefined>();
  for (const name of names) byFolded.set(folded(name), byFolded.has(folded(name)) ? undefined : name);
  return (written) => {
    if (exact.has(written)) return written;
    // gpt-oss writes control tokens into names: `executeSQL<|channel|>commentary`.
    const name = written.slice(0, 128).split('<')[0]?.trim().replace(AROUND, '') ?? '';
    if (exact.has(name)) return name;
    return byFolded.get(folded(name)) ?? byFolded.get(folded(name.split(/__|[-./:]/).at(-1) ?? ''));
  };
}
