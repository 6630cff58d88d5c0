/** What the model is given of semantic layers of growing size: how much, and whether it is the right part. */
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { type Bench, median, type Row } from './measure.ts';
import { createWorkspace } from './workspace.ts';

const SIZES = [50, 500, 2_000];
const QUESTIONS = 1_000;
const MAX_BYTES = 16 * 1024;
/** Contexts of two sizes are equal when they differ by no more than this. */
const FLAT = 1.05;

interface Measured {
  readonly entities: number;
  readonly bytes: readonly number[];
  /** Percent of the questions. */
  readonly found: number;
  readonly questionMs: readonly number[];
  /** The first question, which also builds the index. */
  readonly firstMs: number;
}

async function measure(entities: number): Promise<Measured> {
  using workspace = await createWorkspace(entities, QUESTIONS);
  const { layer, semanticDir: dir } = workspace;
  await using app = await createTestApp({ plugins: [semanticLayer({ dir, contextBytes: MAX_BYTES })] });
  const { contextFor, modelFor } = app.get(semanticLayer);
  const model = await modelFor(null);
  const startedAt = performance.now();
  await contextFor(model, layer.questions[0]?.question ?? '');
  const firstMs = performance.now() - startedAt;
  const bytes: number[] = [];
  const questionMs: number[] = [];
  let found = 0;
  for (const { question, entity } of layer.questions) {
    const askedAt = performance.now();
    const text = await contextFor(model, question);
    questionMs.push(performance.now() - askedAt);
    bytes.push(Buffer.byteLength(text));
    if (showsColumnsOf(text, entity)) found += 1;
  }
  return { entities, bytes, found: (found / layer.questions.length) * 100, questionMs, firstMs };
}

/** A mere mention would not do: the model has to see what it can query. */
function showsColumnsOf(text: string, entity: string): boolean {
  const block = text.split('\n## ').find((part) => part.startsWith(`${entity} `));
  return block?.includes('\ncolumns:\n- ') === true;
}

export const semantic: Bench = async () => {
  const rows: Row[] = [];
  const measured: Measured[] = [];
  for (const size of SIZES) measured.push(await measure(size));
  const smallest = measured[0]!;
  for (const { entities, bytes, found, questionMs, firstMs } of measured) {
    const of = `${entities} entities`;
    rows.push(
      { what: `context, ${of}, largest`, value: Math.max(...bytes), unit: 'bytes', target: MAX_BYTES },
      {
        what: `context, ${of}, median, against ${smallest.entities}`,
        value: median(bytes),
        unit: 'bytes',
        floor: median(smallest.bytes),
        target: FLAT,
      },
      { what: `right entity in detail, ${of}`, value: found, unit: '%', atLeast: 99 },
      { what: `choosing and writing, ${of}, median`, value: median(questionMs), unit: 'ms' },
      { what: `first question, with the index, ${of}`, value: firstMs, unit: 'ms' },
    );
  }
  return rows;
};
