/** Asks what the database cannot say: on a terminal only, never in scripts, in CI or with `--no-input`. */
import { AtlasError, type CliRun, type TableDescription } from '../../../kernel/index.ts';
import { printableText } from '../../cli/index.ts';

const MAX_SCHEMAS = 500;

/** A terminal without a size cannot show a list. */
const isInteractive = ({ options, env, stdout }: CliRun) =>
  options.input !== false && !env.CI && process.stdin.isTTY === true && stdout.isTTY === true && stdout.columns !== 0;

/** The schema to read when several have tables; without a terminal the usual one. Throws when the question is cancelled. */
export async function chosenSchema(
  run: CliRun,
  tables: readonly TableDescription[],
  usual: string | undefined,
): Promise<string | undefined> {
  const counts = new Map<string, number>();
  for (const { schema } of tables) if (schema !== undefined) counts.set(schema, (counts.get(schema) ?? 0) + 1);
  if (counts.size < 2 || counts.size > MAX_SCHEMAS || !isInteractive(run)) return usual;
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select({
    message: 'Several schemas have tables. Which one are the questions about?',
    options: Array.from(counts, ([value, count]) => ({
      value,
      label: printableText(value),
      hint: `${count} ${count === 1 ? 'table' : 'tables'}`,
    })),
    ...(usual !== undefined && { initialValue: usual }),
    signal: run.signal,
  });
  if (isCancel(answer)) throw new AtlasError('Cancelled; nothing was written.');
  return answer;
}
