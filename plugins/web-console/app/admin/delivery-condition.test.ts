import { expect, it } from 'vitest';
import { conditionFields, conditionOf, conditionText } from './delivery-condition.ts';
import { firstValues } from './form-fields.tsx';

const shown = (values: Record<string, string>) =>
  conditionFields({ mode: 'always' })
    .filter(({ isShown }) => isShown?.(values) !== false)
    .map(({ name }) => name.split('.')[1]);

it('asks for what the chosen mode has, and sends no more', () => {
  const values = { 'deliverWhen.column': ' total ', 'deliverWhen.operator': '<', 'deliverWhen.value': '-1.5' };
  for (const [mode, fields, body] of [
    ['always', [], {}],
    ['changed', [], {}],
    ['threshold', ['column', 'operator', 'value'], { column: 'total', operator: '<', value: -1.5 }],
    ['unusual', ['column'], { column: 'total' }],
  ] as const) {
    const chosen = { ...values, 'deliverWhen.mode': mode };
    expect(shown(chosen)).toEqual(['mode', ...fields]);
    expect(conditionOf(chosen)).toEqual({ mode, ...body });
  }
});

it('leaves it to the server to object to a threshold that is no number', () => {
  const values = { 'deliverWhen.mode': 'threshold', 'deliverWhen.operator': '>', 'deliverWhen.column': '' };
  expect(conditionOf({ ...values, 'deliverWhen.value': 'many' })).toEqual({
    mode: 'threshold',
    operator: '>',
    value: 'many',
  });
});

it.each([
  [{ mode: 'always' }, 'Always'],
  [{ mode: 'threshold', operator: '>', value: 0 }, 'Beyond a threshold: > 0'],
  [{ mode: 'threshold', column: 'total', operator: '<=', value: 5 }, 'Beyond a threshold: total <= 5'],
  [{ mode: 'unusual', column: 'total' }, 'When unusual: total'],
] as const)('%j stays as it is in the form, and is %s in words', (condition, text) => {
  expect(conditionOf(firstValues(conditionFields(condition)))).toEqual(condition);
  expect(conditionText(condition)).toBe(text);
});
