/** Types a report, the content of every scheduled delivery, and bounds it. */
import { Value } from '@sinclair/typebox/value';
import { type Static, Type } from '../../kernel/index.ts';
import { originLines, type Provenance, type ValueFormats } from '../result-kit/index.ts';
import { DeliveryError } from './errors.ts';

/** Rows of each dataset that are sent. */
export const MAX_REPORT_ROWS = 50;

const Dataset = Type.Object({
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  totalRows: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
  /** A `ChartSpec` of `chart-kit`. */
  chart: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** Why there are no rows. */
  explanation: Type.Optional(Type.String()),
  /** Other readings of the question, with their numbers. */
  readings: Type.Optional(Type.String()),
  /** Where the rows come from, and how the values of columns are written. */
  provenance: Type.Optional(
    Type.Unsafe<Provenance>(Type.Object({ tables: Type.Array(Type.Object({ name: Type.String() })) })),
  ),
  formats: Type.Optional(Type.Unsafe<ValueFormats>(Type.Record(Type.String(), Type.Object({ style: Type.String() })))),
});

/** The verified query that answered: who vouches for its statement, since when, and what was put into it. */
const Verification = Type.Object({
  name: Type.String(),
  by: Type.String(),
  at: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
});

/** `content` of a `Delivery`, and the body of a webhook. */
export const Report = Type.Object({
  taskId: Type.String(),
  taskName: Type.String(),
  question: Type.String(),
  answer: Type.String(),
  verified: Type.Optional(Verification),
  /** Why it is delivered, where that depends on the answer. */
  deliveryReason: Type.Optional(Type.String()),
  sql: Type.Array(Type.String()),
  data: Type.Array(Dataset),
  steps: Type.Integer(),
  usage: Type.Object({ totalTokens: Type.Integer(), estimated: Type.Optional(Type.Boolean()) }),
  timestamp: Type.String(),
});

/** A message that is no report, such as an invitation. */
export const Notice = Type.Object(
  { id: Type.String({ maxLength: 128 }), text: Type.String({ maxLength: 20_000 }) },
  { additionalProperties: false },
);

export type Notice = Static<typeof Notice>;
export type Report = Static<typeof Report>;
export type Dataset = Static<typeof Dataset>;

/** The rows of a statement as a report has them: at most 50, with the number of all that were read, and their chart. */
export function datasetOf(table: {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether the database had more rows than these. */
  readonly truncated: boolean;
  /** What plugins tell of it. */
  readonly about?: Readonly<Record<string, unknown>>;
}): Dataset {
  const { columns, rows, truncated, about = {} } = table;
  const { chart, provenance, formats } = about as Pick<Dataset, 'chart' | 'provenance' | 'formats'>;
  const { explanation, readings } = about as { readonly [name: string]: { readonly text: string } | undefined };
  return {
    columns: [...columns],
    rows: rows.slice(0, MAX_REPORT_ROWS),
    totalRows: rows.length,
    truncated: truncated || rows.length > MAX_REPORT_ROWS,
    ...(chart !== undefined && { chart }),
    ...(explanation && { explanation: explanation.text }),
    ...(readings && { readings: readings.text }),
    ...(provenance && { provenance }),
    ...(formats && { formats }),
  };
}

export function reportSubject(taskName: string): string {
  return `Atlas report: ${taskName}`;
}

/** The report in the content of a delivery, at most 50 rows of each dataset. Throws a final error when it is none. */
export function reportOf(content: unknown): Report {
  if (!Value.Check(Report, content)) {
    const where = Value.Errors(Report, content).First()?.path ?? '';
    throw new DeliveryError(`The content of the delivery is no report: ${where || '/'} is not as expected.`, {
      final: true,
    });
  }
  const data = content.data.map(({ readings, ...dataset }) => ({
    ...dataset,
    // The answer says it, unless a model has left it out.
    ...(readings !== undefined && !content.answer.includes(readings) && { readings }),
    rows: dataset.rows.slice(0, MAX_REPORT_ROWS),
    truncated: dataset.truncated || dataset.rows.length > MAX_REPORT_ROWS,
  }));
  return { ...content, data };
}

/** Tells the reader who vouches for the statement, and why the report has come. */
export const reportNotes = ({ verified, deliveryReason }: Pick<Report, 'verified' | 'deliveryReason'>): string[] => [
  ...(verified === undefined ? [] : [`Verified by ${verified.by} on ${verified.at.slice(0, 10)}.`]),
  ...(deliveryReason === undefined ? [] : [`Delivered because: ${deliveryReason}`]),
];

/** Tells the reader what else the question may mean, and where the rows come from; nothing where that is not known. */
export const originNote = ({ readings, provenance }: Dataset): string[] => [
  ...(readings === undefined ? [] : [readings]),
  ...(provenance === undefined ? [] : originLines(provenance)),
];

/** Tells the reader of a cut dataset so, `50 of 1234 rows`, and of an empty one why. */
export function rowsNote({ rows, totalRows, truncated, explanation }: Dataset, shown = rows.length): string[] {
  if (shown < totalRows) return [`${shown} of ${totalRows} rows`];
  if (truncated) return [`The first ${shown} rows`];
  return explanation ? [explanation] : [];
}
