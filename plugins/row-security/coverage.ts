/** Finds policies that would filter nothing, because no database has their tables or their column. */
import { AtlasError, type ConnectionInfo, didYouMean, withTimeout } from '../../kernel/index.ts';
import type { Description, Descriptions } from './description.ts';
import type { Policy } from './options.ts';

/** Longest wait for databases at the start; those that are not there by then are looked at when they are asked. */
const START_MS = 15_000;

export interface CoverageInit {
  readonly policies: readonly Policy[];
  readonly descriptions: Descriptions;
  readonly connections: () => Promise<readonly ConnectionInfo[]>;
  readonly now: () => number;
  /** Least time between two looks, in milliseconds. */
  readonly recheckMs: number;
}

/** Sentences about policies. */
interface Findings {
  /** They filter nothing. */
  readonly wrong: readonly string[];
  /** They may filter something in a database that could not be looked at. */
  readonly open: readonly { readonly problem: string; readonly namesTable: boolean }[];
}

type Described = readonly { readonly connection: ConnectionInfo; readonly description: Description | undefined }[];

export class Coverage {
  private readonly init: CoverageInit;
  private isCovered = false;
  private last: { readonly findings: Promise<Findings>; readonly at: number } | undefined;

  constructor(init: CoverageInit) {
    this.init = init;
  }

  /** A database looks different now. */
  changed(): void {
    this.isCovered = false;
    this.last = undefined;
  }

  /** Rejects with `configuration_error` for a policy that filters nothing; resolves to what cannot be told yet. */
  async atStart(): Promise<readonly string[]> {
    const findings = await this.look();
    refuse(findings.wrong);
    return findings.open.map(({ problem }) => problem);
  }

  /**
   * `undefined` once every policy has something to filter. Else a promise, which rejects when one has nothing, and while
   * that cannot be told of a table by its name: another spelling of it would not be filtered.
   */
  required(): Promise<void> | undefined {
    return this.isCovered ? undefined : this.requiredNow();
  }

  private async requiredNow(): Promise<void> {
    const { now, recheckMs } = this.init;
    if (this.last === undefined || now() - this.last.at >= recheckMs) this.last = { findings: this.look(), at: now() };
    const { wrong, open } = await this.last.findings;
    refuse(wrong);
    const unknown = open.find(({ namesTable }) => namesTable);
    if (unknown === undefined) return;
    throw new AtlasError(sentence(`Row security cannot tell what its rules hold for: ${unknown.problem}`), {
      code: 'datasource_unavailable',
      reason: 'E_ROW_SECURITY_COVERAGE',
      hint: 'Try again once the connection is back.',
      retryAfterSeconds: 5,
    });
  }

  private async look(): Promise<Findings> {
    const connections = await this.init.connections();
    const described: Described = await Promise.all(
      connections.map(async (connection) => ({ connection, description: await this.describe(connection) })),
    );
    const findings =
      described.length === 0 ? [] : this.init.policies.flatMap((policy) => problemsOf(policy, described));
    this.isCovered = described.length > 0 && findings.length === 0;
    return {
      wrong: findings.filter(({ isOpen }) => !isOpen).map(({ problem }) => problem),
      open: findings.filter(({ isOpen }) => isOpen),
    };
  }

  private async describe(connection: ConnectionInfo): Promise<Description | undefined> {
    const { policies, descriptions } = this.init;
    const reading = Promise.resolve(descriptions.get(connection, schemasOf(policies))).catch(() => undefined);
    return withTimeout(reading, START_MS, () => undefined);
  }
}

/** Schemas that policies name, which a database may not describe by itself. */
function schemasOf(policies: readonly Policy[]): string[] {
  const named = policies.flatMap(({ tables = [] }) => tables.filter((table) => table.includes('.')));
  return [...new Set(named.map((table) => table.slice(0, table.lastIndexOf('.'))))].sort();
}

/** A guess at what was meant ends as a question. */
export const sentence = (text: string) => (text.endsWith('?') ? text : `${text}.`);

function refuse(wrong: readonly string[]): void {
  if (wrong.length === 0) return;
  throw new AtlasError(sentence(`Row security would not protect what it should: ${wrong.join('; ')}`), {
    code: 'configuration_error',
    reason: 'E_ROW_SECURITY_COVERAGE',
    hint: 'Name a column (SVC_RLS_COLUMN) and tables that the database has, or leave the rule out.',
  });
}

function problemsOf({ connection, tables, column }: Policy, all: Described) {
  const asked = all.filter((one) => connection === undefined || one.connection.id === connection);
  const ids = asked.map((one) => `"${one.connection.id}"`).join(', ');
  const where = `${asked.length === 1 ? 'connection' : 'the connections'} ${ids}`;
  const isOpen = asked.some(({ description }) => description === undefined);
  const known = asked.flatMap(({ description }) => description ?? []);
  const found = (problem: string, namesTable: boolean) => ({ problem, namesTable, isOpen });
  if (asked.length === 0) {
    const others = all.map((one) => one.connection.id);
    const hint = didYouMean(connection ?? '', others);
    return [found(`a rule is for the connection "${connection}", which does not exist${hint}`, true)];
  }
  const unknown = (tables ?? []).filter((name) => !known.some((description) => description.has(name)));
  if (unknown.length > 0) {
    const names = known.flatMap((description) => description.names);
    return unknown.map((name) =>
      found(`a rule names the table "${name}", which ${where} does not have${didYouMean(name, names)}`, true),
    );
  }
  if (column === undefined || known.some((description) => description.hasColumn(column, tables))) return [];
  const columns = known.flatMap((description) => description.columnNames);
  const which = tables === undefined ? 'no table' : `none of the tables ${tables.join(', ')}`;
  return [found(`${which} of ${where} has the column "${column}"${didYouMean(column, columns)}`, false)];
}
