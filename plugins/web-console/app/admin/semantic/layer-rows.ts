/** Takes metrics, terms and the catalog out of the answers of the API: all, those of one file, or those that hold a word. */
import type { CatalogReply, GlossaryList, MetricList } from '../../../../admin-semantic/index.ts';

type FileOf<Item> = Item & { readonly file: string };
export type MetricRow = FileOf<MetricList['metrics'][number]['files'][number]['metrics'][number]>;
export type TermRow = FileOf<GlossaryList['glossary'][number]['terms'][number]>;
export type CatalogRow = NonNullable<NonNullable<CatalogReply['catalog']>['entities']>[number];

/** The layer as its answers give it; `undefined` what has not been read yet. */
export interface LayerAnswers {
  readonly metrics: MetricList | undefined;
  readonly glossary: GlossaryList | undefined;
  readonly catalog: CatalogReply | undefined;
}

export interface LayerRows {
  readonly metrics: readonly MetricRow[];
  readonly terms: readonly TermRow[];
  readonly catalog: readonly CatalogRow[];
}

/** The rows whose words have the text in them. `file`: of this one only. */
export function rowsOf({ metrics, glossary, catalog }: LayerAnswers, search: string, file?: string): LayerRows {
  const isIn = (path: string) => file === undefined || file === path;
  const catalogFiles = catalog?.files ?? [];
  return {
    metrics: (metrics?.metrics ?? [])
      .flatMap(({ files }) => files.flatMap((own) => own.metrics.map((metric) => ({ ...metric, file: own.file }))))
      .filter((metric) => isIn(metric.file) && hasWords(metric, search)),
    terms: (glossary?.glossary ?? [])
      .flatMap((own) => own.terms.map((term) => ({ ...term, file: own.file })))
      .filter((term) => isIn(term.file) && hasWords(term, search)),
    catalog: catalogFiles.some((own) => isIn(own.file))
      ? (catalog?.catalog?.entities ?? []).filter((entity) => hasWords(entity, search))
      : [],
  };
}

/** Whether a text of the value, however deep, has this one in it. */
export function hasWords(value: unknown, search: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(search.toLowerCase());
  return value !== null && typeof value === 'object' && Object.values(value).some((part) => hasWords(part, search));
}
