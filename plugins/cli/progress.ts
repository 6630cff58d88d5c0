/** Shows how far long work has come: one line that is redrawn on a terminal, a plain line every few seconds elsewhere. */
import type { CliRun } from '../../kernel/index.ts';
import { cutToWidth, printableText } from './render.ts';

/**
 * Reports what is done. Without `total` only that work goes on is shown; `detail` is what is worked on, such as a table.
 */
export type ReportProgress = (done: number, total?: number, detail?: string) => void;

const REDRAW_MS = 100;
const LINE_MS = 5_000;
const BAR_WIDTH = 24;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR_LINE = '\r\u001b[K';

/** Where progress is reported. */
type Output = Pick<CliRun, 'stderr' | 'options'> & { readonly env?: CliRun['env'] };

const isPrintingData = ({ options }: Output) => options.json === true || options.csv === true || options.quiet === true;

/**
 * Runs `work` and shows on standard error how far it is; nothing with `--json`, `--csv` or `--quiet`. It does not listen
 * to the keyboard, as the bars of the prompt library do: Ctrl-C stays a signal, after which a command can clean up.
 */
export async function progress<T>(
  run: Output,
  label: string,
  work: (report: ReportProgress) => Promise<T>,
): Promise<T> {
  if (isPrintingData(run)) return work(() => undefined);
  const { stderr } = run;
  const isTerminal = stderr.isTTY === true && run.env?.TERM !== 'dumb';
  const interval = isTerminal ? REDRAW_MS : LINE_MS;
  const state = { done: 0, total: 0, detail: '', frame: 0, shownAt: isTerminal ? -interval : performance.now() };
  const show = () => {
    if (performance.now() - state.shownAt < interval) return;
    state.shownAt = performance.now();
    state.frame += 1;
    const { columns = 80 } = stderr as { readonly columns?: number };
    stderr.write(isTerminal ? CLEAR_LINE + cutToWidth(drawn(label, state), columns - 1) : `${counted(label, state)}\n`);
  };
  // Also by time: work on one large table reports nothing.
  const timer = setInterval(show, interval);
  timer.unref();
  try {
    return await work((done, total = 0, detail = '') => {
      Object.assign(state, { done, total, detail });
      show();
    });
  } finally {
    clearInterval(timer);
    if (isTerminal) stderr.write(CLEAR_LINE);
  }
}

interface Shown {
  readonly done: number;
  readonly total: number;
  readonly detail: string;
  readonly frame: number;
}

const counted = (label: string, { done, total }: Shown) =>
  total > 0 ? `${label}: ${done} of ${total}` : done > 0 ? `${label}: ${done}` : `${label} …`;

function drawn(label: string, state: Shown): string {
  const { done, total, detail, frame } = state;
  const filled = total > 0 ? Math.floor((Math.min(done, total) / total) * BAR_WIDTH) : 0;
  const bar = total > 0 ? ` ${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)}` : '';
  return printableText(`${FRAMES[frame % FRAMES.length]}${bar} ${counted(label, state)} ${detail}`).replaceAll(
    '\n',
    ' ',
  );
}
