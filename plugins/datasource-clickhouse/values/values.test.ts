import { expect, it } from 'vitest';
import { RowCollector, wallClockOf } from '../../datasource-kit/index.ts';
import { readAnswer } from '../wire/answer.ts';
import { linesOf } from '../wire/lines.ts';
import { Decoders } from './values.ts';

const LIMITS = { maxRows: 10, maxBytes: 1_000_000, maxCellBytes: 60 };

async function* chunks(...bytes: readonly Buffer[]) {
  yield* bytes;
}

/** The value of a column of the type, as the server writes it in JSON, with what is noted of it. */
async function read(type: string, json: string | Buffer, zone = 'UTC') {
  const head = Buffer.from(`${JSON.stringify({ meta: [{ name: 'x', type }] })}\n{"row":[`);
  const collector = new RowCollector(['x'], LIMITS);
  for await (const { row } of readAnswer(linesOf(chunks(head, Buffer.from(json), Buffer.from(']}\n'))))) {
    if (row !== undefined) collector.add([new Decoders(wallClockOf(zone)).of(type)(row[0], LIMITS.maxCellBytes)]);
  }
  return { value: collector.rows[0]?.[0], notes: collector.notes };
}

it.each<[type: string, json: string, value: unknown]>([
  ['UInt8', '7', 7],
  ['Int64', '9007199254740991', 9007199254740991],
  ['Int64', '-9007199254740993', '-9007199254740993'],
  ['UInt128', '340282366920938463463374607431768211455', '340282366920938463463374607431768211455'],
  ['Nullable(Int32)', 'null', null],
  ['LowCardinality(Nullable(String))', '"x"', 'x'],
  ['Decimal(18, 2)', '19.9', 19.9],
  ['Decimal(38, 20)', '3.33333333333333333333', '3.33333333333333333333'],
  ['Float64', '0.1', 0.1],
  ['Float64', '1e300', 1e300],
  ['Float64', '123456789012345680', 123456789012345680],
  ['Float32', '"nan"', 'NaN'],
  ['Float64', '"-inf"', '-Infinity'],
  ['BFloat16', '1.5', 1.5],
  ['Bool', 'true', true],
  ['String', '"7"', '7'],
  ['FixedString(4)', '"ab\\u0000\\u0000"', 'ab'],
  ["Enum8('a, (b' = 1, 'c' = 2)", '"a, (b"', 'a, (b'],
  ['UUID', '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ['IPv6', '"::1"', '::1'],
  ['Date', '"2024-02-29"', '2024-02-29'],
  ['Date32', '"1900-01-01"', '1900-01-01'],
  ["DateTime('Asia/Tokyo')", '"2024-02-29T03:30:00Z"', '2024-02-29T03:30:00Z'],
  ["DateTime64(3, 'UTC')", '"2024-02-29T03:30:00.500Z"', '2024-02-29T03:30:00.5Z'],
  ['DateTime64(3)', '"2024-02-29T03:30:00.000Z"', '2024-02-29T03:30:00'],
  ['Time64(3)', '"12:30:01.500"', '12:30:01.5'],
  ['IntervalDay', '3', 'P3D'],
  ['IntervalQuarter', '-1', 'P-3M'],
  ['IntervalMinute', '5', 'PT5M'],
  ['IntervalMillisecond', '-1250', 'PT-1.25S'],
  ['IntervalNanosecond', '1', 'PT0.000000001S'],
  ['Array(Array(Nullable(UInt64)))', '[[null,9007199254740993]]', [[null, '9007199254740993']]],
  ['Tuple(UInt8, String)', '[1,"x"]', [1, 'x']],
  [
    "Tuple(a Int8, `b c` DateTime('UTC'))",
    '{"a":1,"b c":"2024-02-29T03:30:00Z"}',
    { a: 1, 'b c': '2024-02-29T03:30:00Z' },
  ],
  ['Map(String, Decimal(18, 1))', '{"a":1.5,"__proto__":2}', JSON.parse('{"a":1.5,"__proto__":2}')],
  ['Nested(a UInt8, b String)', '[{"a":1,"b":"x"}]', [{ a: 1, b: 'x' }]],
  ['SimpleAggregateFunction(sum, Float64)', '2', 2],
  ['Point', '[1.5,2.5]', [1.5, 2.5]],
  ['MultiPolygon', '[[[[1,2]]]]', [[[[1, 2]]]]],
  ['JSON(a UInt8)', '{"a":{"b":1},"c":9007199254740993,"d":"1"}', { a: { b: 1 }, c: '9007199254740993', d: '1' }],
  ['Dynamic', '1', 1],
  ['Variant(Int64, String)', '"1"', '1'],
  ['Nullable(Nothing)', 'null', null],
])('%s %s', async (type, json, value) => {
  expect((await read(type, json)).value).toEqual(value);
});

it.each([
  ['DateTime', '"2024-02-29T11:30:00Z"', 'Europe/Vienna', '2024-02-29T12:30:00'],
  ['DateTime64(3)', '"2024-07-31T22:30:00.120Z"', 'Europe/Vienna', '2024-08-01T00:30:00.12'],
  ["DateTime('UTC')", '"2024-02-29T11:30:00Z"', 'Europe/Vienna', '2024-02-29T11:30:00Z'],
  ['Array(DateTime)', '["2024-02-29T23:30:00Z"]', 'Asia/Kolkata', ['2024-03-01T05:00:00']],
  ['DateTime', '"1970-01-01T00:00:00Z"', 'Nowhere/Else', '1970-01-01T00:00:00'],
])('%s %s of a server in %s is %s', async (type, json, zone, value) => {
  expect((await read(type, json, zone)).value).toEqual(value);
});

it('gives bytes that are no text as base64, and states of aggregate functions in hexadecimal', async () => {
  const bytes = Buffer.concat([Buffer.from('"'), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('\\u2028"')]);
  expect(await read('String', bytes)).toEqual({
    value: Buffer.concat([Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('\u2028')]).toString('base64'),
    notes: ['Column "x" is binary, given as base64.'],
  });
  const list = Buffer.concat([Buffer.from('["gr\u00fcn","'), Buffer.from([0xff]), Buffer.from('"]')]);
  expect((await read('Array(String)', list)).value).toEqual(['gr\u00fcn', '/w==']);
  expect(await read('AggregateFunction(sum, UInt8)', '"\\u0001\\u0000"')).toEqual({
    value: '0100',
    notes: ['Column "x" holds states of aggregate functions, given as hexadecimal text.'],
  });
});

it('reads columns whose names are no text', async () => {
  const line = Buffer.concat([
    Buffer.from(`{"meta":[{"name":"'`),
    Buffer.from([0xff]),
    Buffer.from(`'","type":"String"}]}\n`),
  ]);
  for await (const { meta } of readAnswer(linesOf(chunks(line))))
    expect(meta).toEqual([{ name: `'\ufffd'`, type: 'String' }]);
});

it('cuts what is too long, as text where it is nested', async () => {
  const long = await read('Array(String)', JSON.stringify(['x'.repeat(100)]));
  expect(long.value).toBe(`["${'x'.repeat(58)}`);
  expect(long.notes).toEqual(['Column "x" has values cut to 60 bytes.']);
  expect((await read('AggregateFunction(sum, UInt8)', `"${'a'.repeat(50)}"`)).value).toBe('61'.repeat(30));
});

it('gives what is nested more than a hundred deep as text', async () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const type = (depth: number) => `${'Array('.repeat(depth)}UInt8${')'.repeat(depth)}`;
  expect(Array.isArray((await read(type(29), deep(29))).value)).toBe(true);
  expect(typeof (await read(type(101), deep(101))).value).toBe('string');
});

it('reads a million null bytes and a letter at once', async () => {
  const { value } = await read('FixedString(1000001)', `"${'\\u0000'.repeat(1_000_000)}x"`);
  expect(value).toMatch(/^\0/);
});
