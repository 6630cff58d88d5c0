/** Registers the tests that every dialect's hostile statements have to pass. */
import { describe, expect, test } from 'vitest';
import { type RefusalRule, SqlRefusal } from '../../plugins/sql-kit/index.ts';

/** Throws when the statement is not refused, or fails in another way. */
export function refusalBy(check: (sql: string) => unknown, sql: string): SqlRefusal {
  try {
    check(sql);
  } catch (error) {
    if (error instanceof SqlRefusal) return error;
    throw error;
  }
  throw new Error(`Not refused: ${sql.slice(0, 200)}`);
}

type StatementsByRule = Readonly<Partial<Record<RefusalRule, readonly string[]>>>;

/** Statements by the rule that has to refuse them, at least `least` in all. */
export function hostileStatements(check: (sql: string) => unknown, groups: readonly StatementsByRule[], least: number) {
  const cases = groups
    .flatMap((group) => Object.entries(group))
    .flatMap(([rule, all]) => all.map((sql) => ({ rule, sql, label: JSON.stringify(sql).slice(0, 100) })));

  describe('hostile statements', () => {
    test('are many and different', () => {
      expect(new Set(cases.map(({ sql }) => sql)).size).toBe(cases.length);
      expect(cases.length).toBeGreaterThanOrEqual(least);
    });

    test.each(cases)('$rule: $label', ({ rule, sql }) => {
      const { rule: spoke, message, position } = refusalBy(check, sql);
      expect({ rule: spoke, message }).toEqual({ rule, message: expect.stringMatching(/^[^\n]{10,300}\.$/) });
      expect(position.line).toBeLessThanOrEqual(sql.split('\n').length);
    });
  });
}
