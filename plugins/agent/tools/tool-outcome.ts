/** Converts a tool's outcome for the model, the client and the answer. */
import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { ToolOutcome, ToolTable } from '../../../kernel/index.ts';
import { resultForModel } from './result-summary.ts';

/** What the model gets for a failed call. */
interface ToolFailure {
  readonly error: string;
  readonly hint?: string;
}

/** The outcome of a failed call: `{error, hint?}`. */
export const failed = (error: string, hint?: string): ToolOutcome => {
  const failure: ToolFailure = { error, ...(hint !== undefined && { hint }) };
  return { forModel: failure };
};

/** Why the call failed; `undefined` when it succeeded. */
export function errorOf({ forModel }: ToolOutcome): string | undefined {
  const error = (forModel as Partial<ToolFailure> | null | undefined)?.error;
  return typeof error === 'string' ? error : undefined;
}

/** The result for the model, with rows and file text marked as untrusted data. */
export function forModel({ forModel: value }: ToolOutcome): LanguageModelV4ToolResultOutput {
  const data = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
  return { type: 'json', value: ('error' in data ? data : { untrustedData: true, ...data }) as never };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The outcome with a table that lost rows, for the model and the client alike. */
export function withFewerRows(outcome: ToolOutcome, table: ToolTable, resultBudgetBytes: number): ToolOutcome {
  const { forModel, forClient } = outcome;
  const { columns, rows } = table;
  const kept: { forModel: unknown; forClient?: unknown } = { forModel };
  if (isRecord(forModel)) {
    const { summary: _, ...rest } = forModel;
    kept.forModel = { ...rest, ...resultForModel({ columns, rows, truncated: true, notes: [] }, resultBudgetBytes) };
  }
  if (isRecord(forClient)) {
    const rowCount = rows.length;
    kept.forClient = 'rows' in forClient ? { ...forClient, rows, rowCount, truncated: true } : forClient;
  }
  return { ...outcome, table, ...kept };
}

/** The outcome with a further note for the model. */
export function withNote(outcome: ToolOutcome, note: string): ToolOutcome {
  const { forModel, forClient = forModel } = outcome;
  if (!isRecord(forModel)) return outcome;
  const notes = Array.isArray(forModel.notes) ? forModel.notes : [];
  return { ...outcome, forModel: { ...forModel, notes: [...notes, note] }, forClient };
}
