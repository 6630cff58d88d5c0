/** The lists of functions, types and keywords against those of the engine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChdbSession, describeChdb, openChdb, rowsOf } from '../../../../test/harness/chdb.ts';
import type { Expr } from '../../ast/tree.ts';
import { clickhouseCombinators, isClickhouseAggregate } from './aggregates.ts';
import { argumentProblem } from './argument-bounds.ts';
import {
  clickhouseFunctionName,
  clickhouseFunctions,
  clickhouseHigherOrder,
  clickhouseRefusedFunctions,
  clickhouseSubstitutes,
  clickhouseSyntaxFunctions,
  clickhouseTableFunctions,
  isClickhouseInternal,
} from './functions.ts';

describeChdb('the lists', () => {
  let engine: ChdbSession;
  beforeAll(() => {
    engine = openChdb();
  });
  afterAll(() => engine.cleanup());
  const column = (sql: string) => rowsOf(engine, sql).rows.map(([value]) => String(value));
  const all = () => column('SELECT name FROM system.functions');

  test('have every function of the engine, allowed or refused', () => {
    const isKnown = (name: string) =>
      clickhouseFunctions.has(name) || clickhouseRefusedFunctions.has(name) || isClickhouseInternal(name);
    expect(all().filter((name) => !isKnown(name))).toEqual([]);
    expect([...clickhouseFunctions].filter((name) => clickhouseRefusedFunctions.has(name))).toEqual([]);
    expect([...clickhouseFunctions].filter(isClickhouseInternal)).toEqual([]);
  });

  test('allow only what exists', () => {
    const names = new Set(all());
    expect(
      [...clickhouseFunctions].filter((name) => !names.has(name) && !clickhouseSyntaxFunctions.includes(name)),
    ).toEqual([]);
    const sources = new Set(column('SELECT lower(name) FROM system.table_functions'));
    expect([...clickhouseTableFunctions].filter((name) => !sources.has(name))).toEqual([]);
  });

  test('know in which case a name may be written', () => {
    const inAnyCase = new Set(column('SELECT name FROM system.functions WHERE case_insensitive'));
    const names = new Set(all());
    for (const name of [...clickhouseFunctions].filter((one) => names.has(one) && one.toUpperCase() !== one)) {
      const upper = name.toUpperCase();
      if (inAnyCase.has(name)) expect(clickhouseFunctionName(upper).toLowerCase()).toBe(name.toLowerCase());
      else if (!names.has(upper) && !/^I?LIKE$/.test(upper)) expect(clickhouseFunctions.has(upper), name).toBe(false);
    }
  });

  test('have every word that changes an aggregate, but for one of the engine itself', () => {
    const words = column('SELECT name FROM system.aggregate_function_combinators WHERE NOT is_internal');
    expect(words.filter((word) => !clickhouseCombinators.includes(word))).toEqual([]);
    const aggregates = new Set(column('SELECT name FROM system.functions WHERE is_aggregate'));
    const scalar = all().filter((name) => !aggregates.has(name));
    // A scalar function that looks like an aggregate with such a word is one that may be called.
    expect(scalar.filter((name) => isClickhouseAggregate(name) && clickhouseRefusedFunctions.has(name))).toEqual([]);
  });

  test('have every function that takes another by its name', () => {
    const argued = [
      '(negate, [1])',
      '(negate, [1], [1])',
      '(negate, 1, [1])',
      "(negate, map('a', 1))",
      '(negate, [1], 1)',
    ];
    const takes = (name: string) =>
      argued.some((args) => {
        try {
          engine.query(`SELECT ${name}${args}`);
          return true;
        } catch (error) {
          // Unknown is the name, where no function is looked for.
          return (
            !/UNKNOWN_IDENTIFIER/.test((error as Error).message) &&
            /negate/.test((error as Error).message) &&
            /UNKNOWN_FUNCTION|ambda/.test((error as Error).message)
          );
        }
      });
    const found = [...clickhouseFunctions].filter((name) => !isClickhouseAggregate(name) && takes(name));
    expect(found.filter((name) => !clickhouseHigherOrder.has(name))).toEqual([]);
  });

  test('know which arguments may be a time zone', () => {
    const time = "toDateTime('2024-01-01 00:00:00')";
    const heads = [
      [],
      [time],
      ['3', '0'],
      ["'day'", time],
      ["'day'", time, time],
      ["'2024'", "'%Y'"],
      [time, 'INTERVAL 1 DAY', 'INTERVAL 1 DAY'],
      ['2024', '1', '1', '1', '1', '1'],
      ['2024', '1', '1', '1', '1', '1', '1', '3'],
      ["toUUID('018f05af-f4a8-778f-beee-1bedbc95c93b')"],
      ['7204436857747984384'],
    ];
    const takes = (name: string, head: readonly string[]) => {
      try {
        engine.query(`SELECT ${name}(${[...head, "'No/Such'"].join()})`);
        return false;
      } catch (error) {
        return (error as Error).message.includes('load time zone');
      }
    };
    const column: Expr = { kind: 'name', at: 0, schema: undefined, table: undefined, name: 'zone' };
    const isRefused = (name: string, before: number) => {
      const literal: Expr = { kind: 'number', at: 0, value: '1' };
      const args = [...Array.from({ length: before }, () => literal), column];
      const nothing = { distinct: false, star: false, orderBy: [], filter: undefined, over: undefined };
      return argumentProblem({ kind: 'call', at: 0, name, args, ...nothing }) !== undefined;
    };
    const scalar = [...clickhouseFunctions].filter((name) => !isClickhouseAggregate(name));
    const found = scalar.flatMap((name) =>
      heads.filter((head) => takes(name, head)).map((head) => ({ name, before: head.length })),
    );
    expect(found.length).toBeGreaterThan(120);
    expect(found.filter(({ name, before }) => !isRefused(name, before))).toEqual([]);
  }, 120_000);

  test('never advise against an allowed function', () => {
    expect([...clickhouseSubstitutes.keys()].filter((name) => clickhouseFunctions.has(name))).toEqual([]);
  });
});
