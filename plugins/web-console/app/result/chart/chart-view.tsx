/** Shows the chart of a result, or its one number, with selects that change what is drawn. */

import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { Loading } from '../../ui/loading.tsx';
import { ShownText } from '../../ui/shown-text.tsx';
import { shownText } from '../cell-text.ts';
import { type ResultColumn, type ResultRow, valueAt } from '../columns.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import styles from './chart.module.css';
import { chartSentence, nameOf } from './chart-sentence.ts';
import { AGGREGATES, type Aggregate, type ChartMark, type ChartSpec, isCategory, isTime, MARKS } from './chart-spec.ts';
import { drawnChart } from './drawn-chart.ts';
import type { ChartModel } from './use-chart.ts';

const ChartDrawing = lazy(() => import('./chart-drawing.tsx'));

interface ChartViewProps {
  readonly model: ChartModel;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
}

export default function ChartView({ model, columns, rows }: ChartViewProps): ReactNode {
  const { chosen, spec } = model;
  const chart = useMemo(() => spec && drawnChart(spec, columns, rows), [spec, columns, rows]);
  if (chosen !== undefined && 'number' in chosen) {
    const column = columns[chosen.number.column] as ResultColumn;
    if (rows[0] === undefined) return <p>{TEXTS.chart.noValues}</p>;
    return (
      <p className={styles.number}>
        <strong>{shownText(valueAt(rows[0], column), column)}</strong>
        <ShownText text={nameOf(column)} />
      </p>
    );
  }
  if (spec === undefined || chart === undefined) return <p>{TEXTS.chart.impossible}</p>;
  const sentence = chartSentence(spec, columns, chart.drawn);
  return (
    <figure className={styles.figure}>
      <ChartSelects spec={spec} columns={columns} onChange={model.setSpec} />
      {chart.drawn.points.length === 0 ? (
        !chart.drawn.isRefused && <p>{TEXTS.chart.noValues}</p>
      ) : (
        <Suspense fallback={<Loading />}>
          <ChartDrawing chart={chart} sentence={sentence} />
        </Suspense>
      )}
      <figcaption>
        <ShownText text={sentence} />
      </figcaption>
    </figure>
  );
}

interface SelectsProps {
  readonly spec: ChartSpec;
  readonly columns: readonly ResultColumn[];
  readonly onChange: (spec: ChartSpec) => void;
}

/** A list of more columns would be no help. */
const MAX_OPTIONS = 100;

function ChartSelects({ spec, columns, onChange }: SelectsProps): ReactNode {
  const listed = columns.slice(0, MAX_OPTIONS);
  const options = (fits: (column: ResultColumn) => boolean) =>
    listed.filter(fits).map((column) => ({ value: String(column.index), label: nameOf(column) }));
  const place = (text: string) => (text === '' ? undefined : Number(text));
  const quantities = options(({ isQuantity }) => isQuantity);
  const several = spec.y.length > 1 ? [{ value: 'several', label: TEXTS.chart.allValues }] : [];
  return (
    <div className={styles.selects}>
      <Select
        label={TEXTS.chart.kind}
        value={spec.mark}
        options={MARKS.map((mark) => ({ value: mark, label: TEXTS.chart.mark[mark] }))}
        onChange={(mark) => onChange({ ...spec, mark: mark as ChartMark })}
      />
      <Select
        label={TEXTS.chart.across}
        value={String(spec.x)}
        options={options((column) => column.isQuantity || isCategory(column) || isTime(column))}
        onChange={(x) => onChange({ ...spec, x: Number(x) })}
      />
      <Select
        label={TEXTS.chart.value}
        value={spec.y.length > 1 ? 'several' : String(spec.y[0] ?? '')}
        options={[...several, ...quantities, { value: '', label: TEXTS.chart.count }]}
        onChange={(text) => {
          const y = place(text);
          if (text !== 'several') onChange({ ...spec, y: y === undefined ? [] : [y] });
        }}
      />
      <Select
        label={TEXTS.chart.series}
        value={String(spec.series ?? '')}
        options={[{ value: '', label: TEXTS.chart.none }, ...options(isCategory)]}
        onChange={(text) => onChange({ ...spec, series: place(text), y: text === '' ? spec.y : spec.y.slice(0, 1) })}
      />
      {spec.mark !== 'point' && spec.y.length > 0 && (
        <Select
          label={TEXTS.chart.aggregate}
          value={spec.aggregate}
          options={AGGREGATES.map((aggregate) => ({ value: aggregate, label: TEXTS.chart.aggregates[aggregate] }))}
          onChange={(aggregate) => onChange({ ...spec, aggregate: aggregate as Aggregate })}
        />
      )}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps): ReactNode {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
