/** Reads what the server objects to in the files of a layer. */
import { ApiError } from '../../api/failure.ts';

export interface Objection {
  /** The place counts from 1; where it is not known, that of the file's beginning. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const PLACE = /^(?<file>.+?)(?::(?<line>\d+):(?<column>\d+))?$/;

/** Empty for failures of another kind. */
export function objectionsOf(error: unknown): readonly Objection[] {
  if (!(error instanceof ApiError) || error.code !== 'validation_error') return [];
  return (error.details ?? []).map(({ path, message }) => {
    const { file = path, line = 1, column = 1 } = PLACE.exec(path)?.groups ?? {};
    return { file, line: Number(line), column: Number(column), message };
  });
}
