import { AtlasError } from '../../kernel/index.ts';
import type { IsProtected } from '../semantic-layer/index.ts';
import type { Policy, RowSecurityOptions } from './options.ts';

/** The options as one list of policies. Throws `configuration_error` when one of them would not protect anything. */
export function policiesOf(options: RowSecurityOptions): readonly Policy[] {
  const { column, claim, unmaskRoles } = options;
  const general = column === undefined && claim === undefined ? [] : [{ column, claim } as Policy];
  const policies = [...general, ...options.policies];
  const problems = policies.flatMap((policy, index) => {
    const problem = problemOf(policy);
    if (problem === undefined) return [];
    const where = index < general.length ? 'the options' : `policies.${index - general.length}`;
    return [`${where}: ${problem}`];
  });
  if (policies.length === 0 && unmaskRoles.length === 0) problems.push('give "column" and "claim", or "policies"');
  if (problems.length === 0) return policies;
  throw new AtlasError(`Row security would not protect what it should: ${problems.join('; ')}.`, {
    code: 'configuration_error',
    reason: 'E_ROW_SECURITY_POLICY',
  });
}

function problemOf({ tables, column, condition, claim }: Policy): string | undefined {
  if (column !== undefined && condition !== undefined) return '"column" and "condition" exclude each other';
  if (condition !== undefined) {
    if (tables === undefined) return '"condition" needs "tables", whose columns it is about';
    if (claim === undefined && condition.includes('{claim}')) return '"condition" has {claim}, but "claim" is missing';
    if (claim !== undefined && !condition.includes('{claim}'))
      return '"claim" is given, but "condition" has no {claim}';
    return tables.length === 0 ? '"tables" is empty' : undefined;
  }
  if (column === undefined) return '"column" is missing';
  if (claim === undefined) return '"claim" is missing';
  return tables?.length === 0 ? '"tables" is empty' : undefined;
}

/**
 * Whether a policy may filter a table. Where it is not certain that none does, it may: one for all tables filters also an
 * exempt table, if that has the column.
 */
export function filteredTables(policies: readonly Policy[], exempt: readonly string[]): IsProtected {
  return ({ table, schema, connection, columns }) => {
    const own = partsOf(schema === undefined ? table : `${schema}.${table}`);
    // Where one of two names has no schema, they may be the same table.
    const isNamed = (list: readonly string[]) =>
      list.map(partsOf).some((parts) => own.every((part, at) => part === (parts[at] ?? part)));
    return policies.some((policy) => {
      if (policy.connection !== undefined && policy.connection !== (connection ?? policy.connection)) return false;
      if (policy.tables !== undefined) return isNamed(policy.tables);
      const column = policy.column?.toLowerCase() ?? '';
      return !isNamed(exempt) || columns.some((text) => text.split(/[^\p{L}\p{N}_$]+/u).includes(column));
    });
  };
}

/** The parts of a name without quotes, in lower case, the last first. */
const partsOf = (name: string) =>
  name
    .replaceAll(/["`[\]]/g, '')
    .toLowerCase()
    .split('.')
    .reverse();
