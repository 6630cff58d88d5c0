/** Asks BigQuery what a statement would do, by a dry run: that runs nothing and costs nothing. */
import { OtherServer } from '../../datasource-kit/index.ts';
import type { Json } from '../wire/client.ts';
import { faultOf } from '../wire/fault.ts';

/** A table as the API names it. */
export interface TableReference {
  readonly projectId: string;
  readonly datasetId: string;
  readonly tableId: string;
}

export interface DryRun {
  /** `SELECT`, or what else it is; empty where it is not told. */
  readonly statementType: string;
  /** Base tables that it reads, those behind views included; `undefined`: not told, or not in full. */
  readonly tables: readonly TableReference[] | undefined;
  /** Functions of datasets that it calls. */
  readonly routines: number;
}

/** The documentation: of statements that read more, the list is not complete. */
const MOST_TABLES = 50;

/** What `jobs.insert` answers to a job with `dryRun`. */
export function readDryRun(job: Json): DryRun {
  const { statistics, status } = job as {
    readonly statistics?: { readonly query?: Json };
    readonly status?: { readonly errorResult?: unknown };
  };
  if (status?.errorResult !== undefined) throw faultOf(status.errorResult);
  const query = statistics?.query;
  if (query === undefined) throw new OtherServer();
  const { statementType, referencedTables, referencedRoutines } = query;
  const tables = Array.isArray(referencedTables) ? referencedTables : referencedTables === undefined ? [] : [undefined];
  return {
    statementType: typeof statementType === 'string' ? statementType : '',
    tables: tables.every(isReference) && tables.length < MOST_TABLES ? tables : undefined,
    routines: Array.isArray(referencedRoutines) ? referencedRoutines.length : referencedRoutines === undefined ? 0 : 1,
  };
}

function isReference(value: unknown): value is TableReference {
  const { projectId, datasetId, tableId } = (value ?? {}) as Partial<Record<keyof TableReference, unknown>>;
  return [projectId, datasetId, tableId].every((part) => typeof part === 'string' && part !== '');
}

/** `project.dataset.table`; of these only the project has no case. */
export const fullName = ({ projectId, datasetId, tableId }: TableReference): string =>
  `${projectId.toLowerCase()}.${datasetId}.${tableId}`;
