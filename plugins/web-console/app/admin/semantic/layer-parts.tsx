/** Shows metrics, terms and the catalog of the layer. */
import type { ReactNode } from 'react';
import { State, Text } from '../parts.tsx';
import type { Column } from '../resource.ts';
import { FileLink } from './layer-links.tsx';
import type { CatalogRow, LayerRows, MetricRow, TermRow } from './layer-rows.ts';
import { LayerTable } from './layer-table.tsx';
import { SEMANTIC as T } from './texts.ts';

const listed = (words: readonly string[] | undefined) => words?.join(', ');

const FILE: Column<{ readonly file: string }> = { label: T.file, cell: ({ file }) => <FileLink file={file} /> };
const SYNONYMS: Column<{ readonly synonyms?: string[] }> = {
  label: T.synonyms,
  cell: ({ synonyms }) => <Text>{listed(synonyms)}</Text>,
};

/** A measure of an entity, or an expression over it. */
const meaningOf = ({ entity, measure, sql }: MetricRow) =>
  [sql ?? measure, entity].filter((part) => part !== undefined).join(' · ');

const METRIC_COLUMNS: readonly Column<MetricRow>[] = [
  { label: T.metric, cell: ({ id, label }) => <Text>{label ?? id}</Text> },
  { label: T.meaning, cell: (metric) => <Text>{meaningOf(metric)}</Text> },
  { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
  SYNONYMS,
  FILE,
];

const TERM_COLUMNS: readonly Column<TermRow>[] = [
  {
    label: T.term,
    cell: ({ term, status }) => (
      <>
        <Text>{term}</Text>
        {status === 'ambiguous' && <State isBad>{T.ambiguous}</State>}
      </>
    ),
  },
  { label: T.definition, cell: ({ definition, sql }) => <Text>{definition ?? sql}</Text> },
  SYNONYMS,
  FILE,
];

const CATALOG_COLUMNS: readonly Column<CatalogRow>[] = [
  { label: T.entity, cell: ({ name }) => <Text>{name}</Text> },
  { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
  {
    label: T.questions,
    cell: ({ common_questions: questions = [] }) => (
      <ul>
        {questions.map((question, at) => (
          <li key={at}>
            <Text>{question}</Text>
          </li>
        ))}
      </ul>
    ),
  },
];

export function LayerParts({ metrics, terms, catalog }: LayerRows): ReactNode {
  return (
    <>
      <LayerTable title={T.metrics} columns={METRIC_COLUMNS} rows={metrics} />
      <LayerTable title={T.glossary} columns={TERM_COLUMNS} rows={terms} />
      <LayerTable title={T.catalog} columns={CATALOG_COLUMNS} rows={catalog} />
    </>
  );
}
