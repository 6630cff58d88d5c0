/** Says what `init` has read, written and left alone. */
import { printableText } from '../../cli/index.ts';
import type { MergedFile } from '../files/files.ts';
import type { TriedQuestion } from './tried-questions.ts';

const MAX_SHOWN = 10;

interface Read {
  /** Tables that were read. */
  readonly count: number;
  readonly gone: readonly string[];
  /** The folder. */
  readonly shown: string;
}

const some = (items: readonly string[]) =>
  items.length > MAX_SHOWN
    ? `${items.slice(0, MAX_SHOWN).join(', ')} and ${items.length - MAX_SHOWN} more`
    : items.join(', ');

export function summaryOf(files: readonly MergedFile[], { count, gone, shown }: Read): string {
  const of = (wanted: MergedFile['state']) => files.filter(({ state }) => state === wanted);
  const added = of('written').flatMap(({ path, isNew, added }) =>
    isNew ? [] : added.map((part) => `${path}: ${part}`),
  );
  const kept = of('kept').map(({ path, reason }) => `${path} (${reason})`);
  const deleted = of('deleted').map(({ path }) => path);
  const lines = [
    `Read ${count} ${count === 1 ? 'table' : 'tables'}; ${of('written').length} files written, ${of('unchanged').length} unchanged in ${shown}.`,
    ...(added.length > 0 ? [`Added to files that were there: ${some(added)}.`] : []),
    ...(kept.length > 0 ? [`Left as they are: ${some(kept)}.`] : []),
    ...(deleted.length > 0
      ? [
          `Not written again, because they were deleted: ${some(deleted)}. Name their tables with --tables to have them back.`,
        ]
      : []),
    ...(gone.length > 0 ? [`Gone from the database, but still in the layer: ${some(gone)}.`] : []),
  ];
  return `${printableText(lines.join('\n'))}\n`;
}

const ASK = 'npx atlas-query query';

/** The questions that were answered, and the commands with which the next one is; `setting` stands before the first. */
export function nextSteps(tried: readonly TriedQuestion[], setting = ''): string {
  const [first] = tried;
  const lines = [
    ...(first === undefined ? [] : ['', 'Questions that this layer answers, tried just now without a language model:']),
    ...tried.flatMap(({ question, answer }) => [`  ${question}`, `    ${answer}`]),
    '',
    'Start the server, then ask it in another terminal:',
    `  ${setting}npx atlas-query serve`,
    `  ${ASK} "${first?.question ?? 'your question'}"`,
  ];
  return `${printableText(lines.join('\n'))}\n`;
}
