/** Lists the entities, metrics, terms and the catalog of the layer, with what is wrong with it and what changed last. */
import { memo, type ReactNode, type RefObject, useDeferredValue } from 'react';
import { useSearchParams } from 'wouter';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { FormFields } from '../form-fields.tsx';
import { State, Text } from '../parts.tsx';
import type { Column } from '../resource.ts';
import { ADMIN } from '../texts.ts';
import { AddFileButton } from './add-file.tsx';
import { useFirstItems } from './first-items.tsx';
import { FileLink } from './layer-links.tsx';
import { LayerParts } from './layer-parts.tsx';
import {
  type EntitySummary,
  type FileVersion,
  isReadOnly,
  type LayerProblem,
  useCatalog,
  useEntities,
  useGlossary,
  useLatestVersions,
  useMetrics,
} from './layer-queries.ts';
import { hasWords, rowsOf } from './layer-rows.ts';
import { LayerTable } from './layer-table.tsx';
import { SEMANTIC as T } from './texts.ts';

const number = (value: number | null) => value?.toLocaleString() ?? '–';

const ENTITY_COLUMNS: readonly Column<EntitySummary>[] = [
  {
    label: T.entity,
    cell: ({ name, file, problems }) => (
      <>
        <FileLink file={file} text={name} />
        {problems.length > 0 && <State isBad>{T.problemCount(problems.length)}</State>}
      </>
    ),
  },
  { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
  { label: T.table, cell: ({ table }) => <Text>{table}</Text> },
  { label: T.connection, cell: ({ connection }) => <Text>{connection ?? T.mainConnection}</Text> },
  { label: T.rows, isNumber: true, cell: ({ rowCount }) => number(rowCount) },
  { label: T.columns, isNumber: true, cell: ({ columnCount }) => number(columnCount) },
  { label: T.measures, isNumber: true, cell: ({ measureCount }) => number(measureCount) },
  { label: T.joins, isNumber: true, cell: ({ joinCount }) => number(joinCount) },
];

const CHANGE_COLUMNS: readonly Column<FileVersion>[] = [
  { label: T.file, cell: ({ file }) => <FileLink file={file} view="versions" /> },
  { label: T.change, cell: ({ change }) => T.changeOf[change] ?? change },
  { label: T.by, cell: ({ replacedByLabel }) => <Text>{replacedByLabel}</Text> },
  { label: T.replaced, cell: ({ replacedAt }) => <Time at={replacedAt} /> },
];

function Problems({ problems }: { readonly problems: readonly LayerProblem[] }): ReactNode {
  const { shown, more, place } = useFirstItems<LayerProblem, HTMLUListElement>(problems);
  if (problems.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{T.problems}</h2>
      <ul ref={place} tabIndex={-1}>
        {shown.map(({ file, line, message }, at) => (
          <li key={at}>
            <FileLink file={file} view="yaml" /> <Text>{T.place(line, message)}</Text>
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

function sumOf(entities: readonly EntitySummary[]): string {
  const sum = (count: 'columnCount' | 'measureCount' | 'joinCount') =>
    entities.reduce((total, entity) => total + entity[count], 0);
  return T.counts(entities.length, sum('columnCount'), sum('measureCount'), sum('joinCount'));
}

/** What holds the text. It is made again only for another text, and while nothing else is to be done. */
const LayerList = memo(function LayerList({ search }: { readonly search: string }): ReactNode {
  const entities = useEntities();
  const parts = [useMetrics(), useGlossary(), useCatalog()] as const;
  const [metrics, glossary, catalog] = parts;
  const latest = useLatestVersions();
  const noFiles = isReadOnly(latest.error) ? T.noFilesFixed : T.noFiles;
  const all = [entities, ...parts];
  const isReading = all.some(({ isPending }) => isPending);
  const found = entities.data?.entities.filter((entity) => hasWords(entity, search)) ?? [];
  const rows = rowsOf({ metrics: metrics.data, glossary: glossary.data, catalog: catalog.data }, search);
  const isEmpty = [found, ...Object.values(rows)].every((part) => part.length === 0);
  const hasFailed = all.some(({ error }) => error !== null);
  return (
    <>
      {all.map(
        ({ error, refetch }, at) => error !== null && <Alert key={at} error={error} onRetry={() => void refetch()} />,
      )}
      {isReading && <Loading />}
      {isEmpty && !isReading && !hasFailed && <p role="status">{search === '' ? noFiles : ADMIN.noMatch}</p>}
      {search === '' && <Problems problems={entities.data?.problems ?? []} />}
      <LayerTable title={T.entities} columns={ENTITY_COLUMNS} rows={found} />
      <LayerParts {...rows} />
      {search === '' && <LayerTable title={T.changes} columns={CHANGE_COLUMNS} rows={latest.data?.versions ?? []} />}
    </>
  );
});

export interface LayerBrowserProps {
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

export function LayerBrowser({ heading }: LayerBrowserProps): ReactNode {
  const [query, setQuery] = useSearchParams();
  const entities = useEntities();
  const latest = useLatestVersions();
  usePageTitle(ADMIN.areas.semantic);
  const search = query.get('search') ?? '';
  const isFixed = isReadOnly(latest.error);
  return (
    <>
      <div className={styles.heading}>
        <h1 ref={heading} tabIndex={-1}>
          {ADMIN.areas.semantic}
        </h1>
        {latest.data !== undefined && <AddFileButton />}
      </div>
      <p className={styles.intro}>
        {T.intro} {entities.data && sumOf(entities.data.entities)}
      </p>
      <search className={styles.filters} aria-label={ADMIN.filters}>
        <FormFields
          fields={[{ name: 'search', label: T.search, kind: 'search' }]}
          values={{ search }}
          onChange={(_, value) => setQuery(value === '' ? {} : { search: value }, { replace: true })}
        />
      </search>
      {isFixed && <p role="note">{T.readOnly}</p>}
      {latest.error !== null && !isFixed && <Alert error={latest.error} onRetry={() => void latest.refetch()} />}
      <LayerList search={useDeferredValue(search)} />
    </>
  );
}
