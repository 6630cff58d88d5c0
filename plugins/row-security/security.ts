import { type Actor, didYouMean } from '../../kernel/index.ts';
import {
  type AllowedTable,
  AllowedTables,
  type RowFilter,
  type SqlChange,
  type TableAccess,
} from '../sql-guard/index.ts';
import { boundClaim, type ClaimSource, placesFor } from './bound-claim.ts';
import { isText } from './column-type.ts';
import type { Coverage } from './coverage.ts';
import type { Description, Descriptions } from './description.ts';
import type { Policy, RowSecurityOptions } from './options.ts';
import { policiesOf } from './policies.ts';

/** Forms of the rules kept for one version of the tables; they differ in the lengths of list claims. */
const MAX_SHAPES = 64;

interface Shape {
  readonly unmask: boolean;
  /** For each policy, how many values it binds. */
  readonly places: readonly number[];
}

interface Restricted {
  readonly description: Description | undefined;
  readonly byShape: Map<string, AllowedTables>;
}

/** Says which rows and values of the allowed tables an actor sees. */
export class RowSecurity {
  private readonly policies: readonly Policy[];
  private readonly options: RowSecurityOptions;
  private readonly descriptions: Descriptions;
  private readonly coverage: Coverage | undefined;
  private readonly warn: (problem: string) => void;
  private readonly restricted = new WeakMap<AllowedTables, Restricted>();

  /**
   * Throws `configuration_error`. `warn` is told, once per version of the layer, which names match no table of it. Without
   * `coverage`, policies are not asked to hold for anything.
   */
  constructor(
    options: RowSecurityOptions,
    descriptions: Descriptions,
    warn: (problem: string) => void,
    coverage?: Coverage,
  ) {
    this.policies = policiesOf(options);
    this.options = options;
    this.descriptions = descriptions;
    this.warn = warn;
    this.coverage = coverage;
  }

  /** Names or paths of the claims that policies need. */
  get claims(): readonly string[] {
    return [...new Set(this.policies.flatMap(({ claim }) => claim ?? []))];
  }

  /** The same tables, narrowed for this actor. Equal rules give the same object; the values are bound later. */
  restrict(access: TableAccess, actor: Actor): TableAccess | Promise<TableAccess> {
    const covered = this.coverage?.required();
    return covered === undefined ? this.described(access, actor) : covered.then(() => this.described(access, actor));
  }

  private described(access: TableAccess, actor: Actor): TableAccess | Promise<TableAccess> {
    const { shownColumn } = access.tables.dialect;
    const needsColumns = shownColumn !== undefined || this.policies.some((policy) => policy.column !== undefined);
    const description = needsColumns ? this.descriptions.get(access.connection, access.tables.schemas) : undefined;
    if (description instanceof Promise) return description.then((known) => this.narrow(access, actor, known));
    return this.narrow(access, actor, description);
  }

  private narrow(access: TableAccess, actor: Actor, description: Description | undefined): TableAccess {
    let known = this.restricted.get(access.tables);
    if (known === undefined) this.warnOfNames(access);
    if (known === undefined || known.description !== description) {
      // A table that has got another name since would no longer be filtered.
      if (known !== undefined) this.coverage?.changed();
      known = { description, byShape: new Map() };
      this.restricted.set(access.tables, known);
    }
    const shape: Shape = {
      unmask: this.options.unmaskRoles.includes(actor.role),
      places: this.policies.map((policy) => (policy.claim === undefined ? 0 : placesFor(this.source(policy), actor))),
    };
    const key = `${shape.unmask} ${shape.places.join(' ')}`;
    let tables = known.byShape.get(key);
    if (tables === undefined) {
      tables = this.tablesOf(access, shape, description);
      if (known.byShape.size >= MAX_SHAPES) known.byShape.delete(known.byShape.keys().next().value!);
      known.byShape.set(key, tables);
    }
    return { ...access, tables };
  }

  private tablesOf(access: TableAccess, shape: Shape, description: Description | undefined): AllowedTables {
    const { tables, dialect } = access.tables;
    const exempt = new Set(this.options.exempt.map((name) => access.tables.named(name)));
    const policies = this.policies.flatMap((policy, index) => {
      if (policy.connection !== undefined && policy.connection !== access.connection.id) return [];
      const own = policy.tables && new Set(policy.tables.map((name) => access.tables.named(name)));
      return [{ policy, own, places: shape.places[index] ?? 0 }];
    });
    const misspelt = policies.flatMap(({ policy }) => policy.tables ?? []).filter((name) => !access.tables.named(name));
    const narrowed = tables.map((table): AllowedTable => {
      const meant = misspelt.find((name) => isMeant(table, name));
      if (meant !== undefined) return { ...table, refusal: misspeltRefusal(table, meant) };
      const rows: RowFilter[] = [...(table.rows ?? [])];
      for (const { policy, own, places } of policies) {
        if (own !== undefined && !own.has(table)) continue;
        const filter = this.filter(policy, table, places, access, description);
        if (filter !== undefined) rows.push(filter);
        else if (own !== undefined || !exempt.has(table)) return { ...table, refusal: refusal(table, policy) };
      }
      const key = description?.key(table, dialect.defaultSchema);
      const visible = shape.unmask ? table.visible?.map((column) => ({ ...column, mask: undefined })) : table.visible;
      const types = description?.types(table, dialect.defaultSchema);
      const known = knownOf(table, access.tables, description);
      return { ...table, rows, visible, known, ...(types && { types }), ...(key && { key }) };
    });
    if (description !== undefined && narrowed.some((table) => table.refusal !== undefined)) {
      this.descriptions.markIncomplete(description);
    }
    return new AllowedTables(narrowed, dialect);
  }

  /** `undefined`: the table does not have the column. */
  private filter(
    policy: Policy,
    table: AllowedTable,
    places: number,
    { tables }: TableAccess,
    description: Description | undefined,
  ): RowFilter | undefined {
    const source = this.source(policy);
    if (policy.condition !== undefined) {
      const values = Array.from({ length: places }, (_, index) => boundClaim(source, index, 'any', table.name));
      return { condition: policy.condition, values, change: changeOf(policy, table, policy.condition) };
    }
    const column = description?.column(table, policy.column ?? '', tables.dialect.defaultSchema);
    if (column === undefined) return undefined;
    const type = tables.dialect.columnType(column.type);
    const values = Array.from({ length: places }, (_, index) => boundClaim(source, index, type, table.name));
    const change = changeOf(policy, table, `${column.name} is {claim}`);
    return { column: column.name, isText: isText(type), values, change };
  }

  private source({ claim }: Policy): ClaimSource {
    return { path: claim ?? '', staticClaims: this.options.staticClaims };
  }

  private warnOfNames({ connection, tables }: TableAccess): void {
    const known = tables.tables.map(({ name }) => name);
    const policies = this.policies.filter((policy) => [undefined, connection.id].includes(policy.connection));
    for (const name of new Set([...this.options.exempt, ...policies.flatMap((policy) => policy.tables ?? [])])) {
      if (tables.named(name) !== undefined) continue;
      const where = `connection "${connection.id}"`;
      this.warn(`Row security names the table "${name}", which ${where} does not have${didYouMean(name, known)}.`);
    }
  }
}

/** The columns that the layer mentions, and those that the database describes. */
function knownOf(table: AllowedTable, { dialect }: AllowedTables, description: Description | undefined) {
  const described = description?.columns(table, dialect.defaultSchema) ?? [];
  return new Set([
    ...table.known,
    ...(dialect.hasExactNames ? described : described.map((name) => name.toLowerCase())),
  ]);
}

const writtenName = ({ schema, name }: AllowedTable) => (schema === undefined ? name : `${schema}.${name}`);

/** Whether the rule's name differs from the table's only in its letters, which the engine tells apart. */
function isMeant(table: AllowedTable, written: string): boolean {
  return [table.name, writtenName(table)].some((name) => name.toLowerCase() === written.toLowerCase());
}

function misspeltRefusal(table: AllowedTable, meant: string): NonNullable<AllowedTable['refusal']> {
  const written = writtenName(table);
  return {
    what: `Table "${written}" cannot be read: a rule of row security names it "${meant}"`,
    hint: `An administrator has to write "${written}" in the rule.`,
  };
}

function changeOf({ claim }: Policy, table: AllowedTable, condition: string): SqlChange {
  const limits = `Row security limits "${writtenName(table)}" to the rows`;
  const which = claim === undefined ? '' : `, with the claim "${claim}" for {claim}`;
  return {
    plugin: 'row-security',
    reason: `${limits} that you may see.`,
    fullReason: `${limits} where ${condition}${which}.`,
  };
}

function refusal(table: AllowedTable, { column }: Policy): NonNullable<AllowedTable['refusal']> {
  const written = writtenName(table);
  return {
    what: `Table "${written}" cannot be read: it has no column "${column}" that says whose its rows are`,
    hint: `Use other tables; if every actor may read it, an administrator can name "${written}" exempt from row security.`,
  };
}
