/** Lists where plans and the SQL of a semantic layer are read, for the test that measures how long that takes. */
import { anyText, statements } from '../../test/growth/shapes.ts';
import { QUESTION, type TextInput } from '../../test/growth/text-input.ts';
import { compileQuery } from './compile.ts';
import { tokenize } from './expression.ts';
import type { Dialect } from './plan.ts';
import { shop } from './shop.fixture.ts';

const dialects: readonly Dialect[] = ['sqlite', 'duckdb', 'mysql', 'postgres'];

export const textInputs: readonly TextInput[] = [
  {
    name: 'values of a query plan',
    longest: QUESTION,
    shapes: anyText,
    read: (text) => {
      const filters = [{ dimension: 'orders.status', operator: 'in' as const, values: text.split(' ') }];
      return compileQuery(shop, { measures: ['orders.count'], filters }, { dialect: 'sqlite' });
    },
  },
  ...dialects.map((dialect) => ({
    name: `SQL of the semantic layer, ${dialect}`,
    longest: 20_000,
    shapes: { ...anyText, ...statements },
    read: (text: string) => tokenize(text, dialect, 'orders.total'),
  })),
];
