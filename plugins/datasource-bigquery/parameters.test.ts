import { expect, it } from 'vitest';
import { queryParameters } from './parameters.ts';

it.each<[value: unknown, type: string, text: string | null]>([
  ['x', 'STRING', 'x'],
  ["it's; -- \\", 'STRING', "it's; -- \\"],
  [null, 'STRING', null],
  [undefined, 'STRING', null],
  [7, 'INT64', '7'],
  [-7, 'INT64', '-7'],
  [1.5, 'FLOAT64', '1.5'],
  [1e21, 'FLOAT64', '1e+21'],
  [9007199254740993n, 'INT64', '9007199254740993'],
  [2n ** 64n, 'BIGNUMERIC', '18446744073709551616'],
  [true, 'BOOL', 'true'],
  [new Date('2024-02-29T00:00:00Z'), 'DATE', '2024-02-29'],
  [new Date('2024-02-29T12:30:00.5Z'), 'TIMESTAMP', '2024-02-29 12:30:00.500+00'],
  [Buffer.from('atlas'), 'BYTES', 'YXRsYXM='],
])('%s is bound as %s', (value, type, text) => {
  expect(queryParameters([value])).toEqual([{ parameterType: { type }, parameterValue: { value: text } }]);
});

it.each([[{}], [Number.NaN], [Symbol('x')]])('%s cannot be bound', (value) => {
  expect(() => queryParameters([value])).toThrow(/cannot be bound/);
});
