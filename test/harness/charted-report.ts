/** A report of which a dataset has a chart, and whether this machine can draw it as pixels. */
import { suiteNeeding } from './require.ts';

const rows = ['Linz', 'Graz', 'Wien'].map((town, at) => ({ town, n: at + 1 }));
const chart = { mark: 'bar', x: 'town', y: ['n'], aggregate: 'sum', sort: 'value', stack: false };

export const CHARTED_REPORT = {
  taskId: 'b9c7',
  taskName: 'Towns',
  question: 'Which towns?',
  answer: 'Wien leads.',
  sql: [],
  data: [
    { columns: ['n'], rows: [{ n: 6 }], totalRows: 1, truncated: false },
    { columns: ['town', 'n'], rows, totalRows: 3, truncated: false, chart },
  ],
  steps: 2,
  usage: { totalTokens: 12 },
  timestamp: '2026-01-15T11:59:58.000Z',
};

export const SENTENCE = 'Bars: n by town. Highest Wien: 3; lowest Linz: 1.';

/** The base64 of the first bytes of every PNG. */
export const PNG_BASE64 = 'iVBORw0KGgo';

async function hasPixels(): Promise<boolean> {
  return import('@resvg/resvg-js').then(
    () => true,
    () => false,
  );
}

export const describeWithPixels = suiteNeeding('resvg', await hasPixels(), 'npm i @resvg/resvg-js');
