/** Shows what the file of an entity says: columns, measures, joins, segments, query patterns. */
import type { ReactNode } from 'react';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import styles from '../admin.module.css';
import { Facts, Text } from '../parts.tsx';
import type { Column } from '../resource.ts';
import { type EntityDetail, type EntitySummary, useEntity } from './layer-queries.ts';
import { LayerTable } from './layer-table.tsx';
import { SEMANTIC as T } from './texts.ts';

type Entity = NonNullable<EntityDetail['entity']>;
type Part<Name extends 'dimensions' | 'measures' | 'joins' | 'segments' | 'query_patterns'> = NonNullable<
  Entity[Name]
>[number];

const text = <Row,>(label: string, of: (row: Row) => string | undefined): Column<Row> => ({
  label,
  cell: (row) => <Text>{of(row)}</Text>,
});

/** What has to be known of a column before it is shown to anybody. */
const marksOf = ({ primary_key: isKey, hidden, mask }: Part<'dimensions'>) =>
  [isKey && T.marks.primaryKey, hidden && T.marks.hidden, mask !== undefined && T.marks.masked]
    .filter((mark) => typeof mark === 'string')
    .join(', ');

const COLUMNS: readonly Column<Part<'dimensions'>>[] = [
  text(T.column, ({ name }) => name),
  text(T.type, (column) => [column.type, marksOf(column)].filter(Boolean).join(', ')),
  text(T.description, ({ description }) => description),
  text(T.synonyms, ({ synonyms }) => synonyms?.join(', ')),
  text(T.expression, ({ name, sql }) => (sql === name ? undefined : sql)),
];

const MEASURES: readonly Column<Part<'measures'>>[] = [
  text(T.measure, ({ name }) => name),
  text(T.type, ({ type }) => type),
  text(T.expression, ({ sql }) => sql),
  text(T.description, ({ description }) => description),
  text(T.synonyms, ({ synonyms }) => synonyms?.join(', ')),
];

const pairsOf = ({ on }: Part<'joins'>) => [on].flat().map(({ from, to }) => `${from} = ${to}`);

const JOINS: readonly Column<Part<'joins'>>[] = [
  text(T.join, ({ target }) => target),
  text(T.relationship, ({ relationship }) => relationship),
  text(T.on, (join) => pairsOf(join).join(', ')),
  text(T.description, ({ description }) => description),
];

const SEGMENTS: readonly Column<Part<'segments'>>[] = [
  text(T.segment, ({ name, default: isDefault }) => (isDefault === true ? `${name} (${T.marks.standard})` : name)),
  text(T.expression, ({ sql }) => sql),
  text(T.description, ({ description }) => description),
];

const PATTERNS: readonly Column<Part<'query_patterns'>>[] = [
  text(T.pattern, ({ description }) => description),
  text(T.expression, ({ sql }) => sql),
];

function EntityFacts({ entity }: { readonly entity: Entity }): ReactNode {
  const facts: readonly (readonly [string, string | undefined])[] = [
    [T.description, entity.description],
    [T.table, [entity.schema, entity.table].filter(Boolean).join('.')],
    [T.connection, entity.connection ?? T.mainConnection],
    [T.type, entity.type],
    [T.grain, entity.grain],
    [T.rows, entity.row_count?.toLocaleString()],
    [T.synonyms, entity.synonyms?.join(', ')],
  ];
  return (
    <div className={styles.facts}>
      <Facts
        facts={facts
          .filter(([, value]) => value !== undefined)
          .map(([label, value]) => ({ label, value: <Text>{value}</Text> }))}
      />
    </div>
  );
}

export function EntityContents({ summary }: { readonly summary: EntitySummary }): ReactNode {
  const { data, error, refetch } = useEntity(summary);
  // Another file may have the name that this entity's file has.
  if (error !== null && data === undefined) return <Alert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data.file !== summary.file) return <p>{T.unnamed}</p>;
  if (data.entity === null) return <p>{T.unusable}</p>;
  const { dimensions = [], measures = [], joins = [], segments = [], query_patterns: patterns = [] } = data.entity;
  return (
    <>
      <EntityFacts entity={data.entity} />
      <LayerTable title={T.columns} columns={COLUMNS} rows={dimensions} />
      <LayerTable title={T.measures} columns={MEASURES} rows={measures} />
      <LayerTable title={T.joins} columns={JOINS} rows={joins} />
      <LayerTable title={T.segments} columns={SEGMENTS} rows={segments} />
      <LayerTable title={T.patterns} columns={PATTERNS} rows={patterns} />
    </>
  );
}
