/**
 * The proof that row security leaks nothing and breaks nothing: what a statement answers under policy, on the database
 * of all tenants, is what it answers without one on a database that holds only what the actor may see.
 */

import type { Actor } from '../../kernel/index.ts';
import { Descriptions } from '../../plugins/row-security/description.ts';
import type { RowSecurityOptions } from '../../plugins/row-security/options.ts';
import { RowSecurity } from '../../plugins/row-security/security.ts';
import { type AllowedTables, allowedTables, checkSql } from '../../plugins/sql-guard/index.ts';
import { kitDialect, type SqlDialect } from '../../plugins/sql-kit/index.ts';
import { testScope } from '../harness/create-test-app.ts';
import { Choices, shrink } from './choices.ts';
import type { FuzzDatabase, FuzzEngine, FuzzResult } from './engine.ts';
import { type Query, randomQuery } from './queries.ts';
import { createWorld, scriptOf, type World } from './world.ts';

/** Statements for each random world. */
const STATEMENTS = 25;

export interface FuzzReport {
  readonly statements: number;
  /** Statements that the engine rejects in both databases, such as for a cast that it does not have. */
  readonly invalid: number;
  /** Statements that found at least one row. */
  readonly withRows: number;
  /** The first failure, shrunk, as text to reproduce it. */
  readonly failure: string | undefined;
}

type Outcome = FuzzResult | { readonly error: string };

interface Comparison {
  readonly expected: Outcome;
  readonly actual: Outcome;
  readonly printed: string;
  readonly params: readonly unknown[];
}

/** Runs `statements` statements, the world `n` with the seed `seed + n`, and stops at the first failure. */
export async function differential(engine: FuzzEngine, seed: number, statements: number): Promise<FuzzReport> {
  const dialect = await kitDialect(engine.dialect.dbType);
  await dialect.load?.();
  let [done, invalid, withRows] = [0, 0, 0];
  for (let number = seed; done < statements; number += 1) {
    await using arena = await Arena.open(engine, dialect, number);
    for (let index = 0; index < STATEMENTS && done < statements; index += 1, done += 1) {
      const choices = Choices.seeded(number * 1_009 + index);
      const query = arena.query(choices);
      for (const actor of arena.twoActors(index)) {
        const compared = await arena.compare(query, actor);
        if ('error' in compared.expected || arena.isUnknown(compared)) invalid += 1;
        else if (compared.expected.rows.length > 0) withRows += 1;
        if (arena.isUnknown(compared) || agree(compared, query) || (await arena.agreesPlainly(compared, query, actor)))
          continue;
        const failure = await arena.explain(choices.taken, actor, `--seed ${number} --queries ${STATEMENTS}`);
        return { statements: done + 1, invalid: invalid / 2, withRows: withRows / 2, failure };
      }
    }
  }
  return { statements: done, invalid: invalid / 2, withRows: withRows / 2, failure: undefined };
}

/** One world in its databases: that of all tenants, and one for each actor. */
class Arena implements AsyncDisposable {
  private readonly engine: FuzzEngine;
  private readonly world: World;
  private readonly full: FuzzDatabase;
  private readonly security: RowSecurity;
  private readonly allowed: AllowedTables;
  private readonly parts = new Map<Actor, Promise<FuzzDatabase>>();

  static async open(engine: FuzzEngine, dialect: SqlDialect, seed: number): Promise<Arena> {
    const world = createWorld(Choices.seeded(seed), engine.dialect);
    return new Arena(engine, dialect, world, await engine.open(scriptOf(world.tables, engine.dialect)));
  }

  private constructor(engine: FuzzEngine, dialect: SqlDialect, world: World, full: FuzzDatabase) {
    this.engine = engine;
    this.world = world;
    this.full = full;
    const { schema } = engine.dialect;
    const own = dialect.forConnection?.({ schema, maskedUrl: '' }) ?? dialect;
    const { tables, problems } = allowedTables(world.entities, own);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    this.allowed = tables;
    const fixed = { describeEveryMs: 1e9, recheckMs: 1e9 };
    const raise = (problem: string) => {
      throw new Error(problem);
    };
    const descriptions = new Descriptions({ ...fixed, describe: () => full.describe(), now: () => 0, warn: raise });
    this.security = new RowSecurity({ ...world.options, ...fixed } satisfies RowSecurityOptions, descriptions, raise);
  }

  query(choices: Choices): Query {
    const [anyone] = this.world.actors;
    return randomQuery(choices, this.world.seenBy(anyone as Actor), this.engine.dialect);
  }

  twoActors(index: number): readonly Actor[] {
    const { actors } = this.world;
    return [index, index + 1].map((at) => actors[at % actors.length] as Actor);
  }

  async compare({ sql }: Query, actor: Actor): Promise<Comparison> {
    const part = await this.partOf(actor);
    const expected = await outcomeOf(() => part.query(sql));
    let [printed, params]: [string, readonly unknown[]] = ['', []];
    const actual = await outcomeOf(async () => {
      const connection = { id: 'fuzz', dbType: this.engine.dialect.dbType, maskedUrl: '' };
      const { tables } = await this.security.restrict({ connection, tables: this.allowed }, actor);
      const checked = checkSql(sql, { tables });
      printed = checked.sql;
      const scope = testScope({ actor });
      params = checked.params.map((value) => value.valueFor(scope));
      return this.full.run(checked, params);
    });
    return { expected, actual, printed, params };
  }

  /** Makes the failing statement as small as possible and says all that is needed to see it fail. */
  async explain(taken: readonly number[], actor: Actor, where: string): Promise<string> {
    const smallest = await shrink(taken, async (list) => {
      const query = this.query(Choices.replay(list));
      const compared = await this.compare(query, actor);
      return (
        !this.isUnknown(compared) && !agree(compared, query) && !(await this.agreesPlainly(compared, query, actor))
      );
    });
    const query = this.query(Choices.replay(smallest));
    const { expected, actual, printed, params } = await this.compare(query, actor);
    const { dialect } = this.engine;
    return [
      `${dialect.dbType} ${where}`,
      `statement: ${query.sql}`,
      `ran: ${printed}`,
      `bound: ${JSON.stringify(params)}`,
      `expected: ${show(expected)}`,
      `actual: ${show(actual)}`,
      `actor: ${JSON.stringify(actor)}`,
      `options: ${JSON.stringify(this.world.options)}`,
      `all tenants:\n${scriptOf(this.world.tables, dialect)}`,
      `what the actor sees:\n${scriptOf(this.world.seenBy(actor), dialect)}`,
    ].join('\n');
  }

  /** Whether the difference is gone once the engine answers one of the two statements, or both, without cleverness. */
  async agreesPlainly(compared: Comparison, query: Query, actor: Actor): Promise<boolean> {
    const part = await this.partOf(actor);
    const { full } = this;
    if (part.plainly === undefined || full.plainly === undefined) return false;
    const plain = await full.plainly(
      async () => part.plainly?.(() => this.compare(query, actor)) ?? Promise.resolve(compared),
    );
    const pairs = [{ ...compared, expected: plain.expected }, { ...compared, actual: plain.actual }, plain];
    return pairs.some((pair) => agree(pair, query));
  }

  /** Whether the engine itself failed. */
  isUnknown({ expected, actual }: Comparison): boolean {
    const { isOwnFault } = this.engine.dialect;
    return [expected, actual].some((outcome) => 'error' in outcome && isOwnFault?.(outcome.error));
  }

  private partOf(actor: Actor): Promise<FuzzDatabase> {
    let part = this.parts.get(actor);
    if (part === undefined) {
      part = this.engine.open(scriptOf(this.world.seenBy(actor), this.engine.dialect));
      this.parts.set(actor, part);
    }
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.full.close();
    for (const part of this.parts.values()) await (await part).close();
  }
}

async function outcomeOf(run: () => Promise<FuzzResult>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function agree({ expected, actual }: Comparison, { ordered }: Query): boolean {
  if ('error' in expected || 'error' in actual) return 'error' in expected && 'error' in actual;
  const rows = ({ rows }: FuzzResult) => (ordered ? rows.map(text) : rows.map(text).sort());
  return text(expected.columns) === text(actual.columns) && text(rows(expected)) === text(rows(actual));
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));

const show = (outcome: Outcome) => ('error' in outcome ? `error: ${outcome.error}` : text(outcome));
