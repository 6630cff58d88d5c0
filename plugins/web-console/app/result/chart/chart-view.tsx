/** Shows the chart of a result, or its one number, with selects that change what is drawn. */

import { type ReactNode, useMemo } from 'react';
import {
  AGGREGATES,
  CHART_TEXTS,
  type ChartSpec,
  columnName,
  drawnChart,
  isCategory,
  isTime,
  MARKS,
  type ResultColumn,
  type ResultRow,
  SORTS,
  valueAt,
} from '../../../../chart-kit/index.ts';
import { ShownText } from '../../ui/shown-text.tsx';
import { shownText } from '../cell-text.ts';
import { RESULT_TEXTS } from '../texts.ts';
import styles from './chart.module.css';
import { ChartDrawing } from './chart-drawing.tsx';
import { isSplit, withAcross, withMark, withSeries, withValue } from './spec-change.ts';
import type { ChartModel } from './use-chart.ts';

const TEXTS = RESULT_TEXTS.chart;

interface ChartViewProps {
  readonly model: ChartModel;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
}

export default function ChartView({ model, columns, rows }: ChartViewProps): ReactNode {
  const { chosen, spec } = model;
  const chart = useMemo(() => spec && drawnChart(spec, columns, rows), [spec, columns, rows]);
  if (chosen?.number !== undefined) {
    const column = columns.find(({ name }) => name === chosen.number) as ResultColumn;
    if (rows[0] === undefined) return <p>{TEXTS.noValues}</p>;
    return (
      <p className={styles.number}>
        <strong>{shownText(valueAt(rows[0], column), column)}</strong>
        <ShownText text={columnName(column)} />
      </p>
    );
  }
  if (spec === undefined || chart === undefined) return <p>{TEXTS.impossible}</p>;
  const { drawn, words } = chart;
  return (
    <figure className={styles.figure}>
      <ChartSelects spec={spec} columns={columns} onChange={model.setSpec} />
      {drawn.points.length > 0 && <ChartDrawing chart={chart} />}
      {drawn.points.length === 0 && !drawn.isRefused && <p>{TEXTS.noValues}</p>}
      <figcaption>
        <ShownText text={words.sentence} />
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
    listed.filter(fits).map((column) => ({ value: column.id, label: columnName(column) }));
  const idOf = (name: string | undefined) => columns.find((column) => column.name === name)?.id ?? '';
  const columnOf = (id: string) => columns.find((column) => column.id === id);
  const quantities = options(({ isQuantity }) => isQuantity);
  const several = spec.y.length > 1 ? [{ value: 'several', label: TEXTS.allValues }] : [];
  return (
    <div className={styles.selects}>
      <Select
        label={TEXTS.kind}
        value={spec.mark}
        options={MARKS.map((mark) => ({ value: mark, label: CHART_TEXTS.mark[mark] }))}
        onChange={(mark) => onChange(withMark(spec, mark, columnOf(idOf(spec.x))))}
      />
      <Select
        label={TEXTS.across}
        value={idOf(spec.x)}
        options={options((column) => column.isQuantity || isCategory(column) || isTime(column))}
        onChange={(id) => onChange(withAcross(spec, columnOf(id)))}
      />
      <Select
        label={TEXTS.value}
        value={spec.y.length > 1 ? 'several' : idOf(spec.y[0])}
        options={[...several, ...quantities, { value: '', label: CHART_TEXTS.count }]}
        onChange={(id) => {
          if (id !== 'several') onChange(withValue(spec, columnOf(id)));
        }}
      />
      <Select
        label={TEXTS.series}
        value={idOf(spec.series)}
        options={[{ value: '', label: TEXTS.none }, ...options(isCategory)]}
        onChange={(id) => onChange(withSeries(spec, columnOf(id)))}
      />
      {spec.mark !== 'point' && spec.y.length > 0 && (
        <Select
          label={TEXTS.aggregate}
          value={spec.aggregate}
          options={AGGREGATES.map((aggregate) => ({ value: aggregate, label: TEXTS.aggregates[aggregate] }))}
          onChange={(aggregate) => onChange({ ...spec, aggregate })}
        />
      )}
      {spec.mark !== 'point' && (
        <Select
          label={TEXTS.sort}
          value={spec.sort}
          options={SORTS.map((sort) => ({ value: sort, label: TEXTS.sorts[sort] }))}
          onChange={(sort) => onChange({ ...spec, sort })}
        />
      )}
      {isSplit(spec) && (spec.mark === 'bar' || spec.mark === 'area') && (
        <label className={styles.stack}>
          <input
            type="checkbox"
            checked={spec.stack}
            onChange={(event) => onChange({ ...spec, stack: event.target.checked })}
          />
          {TEXTS.stack}
        </label>
      )}
    </div>
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>): ReactNode {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
