/** Every type of the API, as the documentation writes its values. */
import { describe, expect, it } from 'vitest';
import { Converted, RowCollector } from '../../datasource-kit/index.ts';
import type { Column } from '../wire/statement.ts';
import { decoderOf, sinkType } from './values.ts';

const column = (type: string, scale = 0, precision = 38): Column => ({ name: 'X', type, precision, scale });

function shown(type: string, text: string | null) {
  const collector = new RowCollector(['X'], { maxRows: 1, maxBytes: 100_000, maxCellBytes: 1_000 });
  const value = decoderOf(column(type))(text, 1_000);
  collector.add([value instanceof Converted ? value : value]);
  return collector.rows[0]?.[0];
}

describe('a value', () => {
  it.each<[type: string, text: string | null, value: unknown]>([
    ['fixed', '42', 42],
    ['fixed', '-1.50', -1.5],
    ['fixed', '9007199254740993', '9007199254740993'],
    ['fixed', '12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['fixed', '0.1234567890123456789', '0.1234567890123456789'],
    ['decfloat', '1.5E+10', 15_000_000_000],
    ['real', '1.5', 1.5],
    ['real', 'NaN', 'NaN'],
    ['real', '-inf', '-Infinity'],
    ['boolean', 'true', true],
    ['boolean', '0', false],
    ['text', 'grün', 'grün'],
    ['text', null, null],
    ['date', '19782', '2024-02-29'],
    ['date', '-1', '1969-12-31'],
    ['date', '-719162', '0001-01-01'],
    ['date', '2932896', '9999-12-31'],
    ['time', '45045.500000000', '12:30:45.5'],
    ['time', '0.000000000', '00:00:00'],
    ['time', '90000.0', '90000.0'],
    ['timestamp_ntz', '1709209800.123456789', '2024-02-29T12:30:00.123456789'],
    ['timestamp_ntz', '1709209800.000000000', '2024-02-29T12:30:00'],
    ['timestamp_ntz', '-1.500000000', '1969-12-31T23:59:58.5'],
    ['timestamp_ntz', '-2.000000000', '1969-12-31T23:59:58'],
    ['timestamp_ltz', '1709209800.5', '2024-02-29T12:30:00.5Z'],
    ['timestamp_tz', '1709209800.500000000 1500', '2024-02-29T12:30:00.5Z'],
    ['timestamp_tz', '1709209800 960', '2024-02-29T12:30:00Z'],
    ['timestamp_tz', 'hunter', 'hunter'],
    ['timestamp_ntz', '99999999999999', '99999999999999'],
    ['binary', '61746c6173', Buffer.from('atlas').toString('base64')],
    ['variant', '{"a": [1, "x", 9007199254740993]}', { a: [1, 'x', '9007199254740993'] }],
    ['variant', '"x"', 'x'],
    ['array', '[1, undefined]', '[1, undefined]'],
    ['object', '{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
    ['geography', '{"type": "Point", "coordinates": [1, 2]}', { type: 'Point', coordinates: [1, 2] }],
    ['new_type', 'x', 'x'],
  ])('of %s %s', (type, text, value) => {
    expect(shown(type, text)).toEqual(value);
  });
});

it.each<[Column, unknown]>([
  [column('fixed', 0, 18), 'integer'],
  [column('fixed', 0, 38), { precision: 38, scale: 0 }],
  [column('fixed', 2, 10), { precision: 10, scale: 2 }],
  [column('timestamp_ntz', 6), 'timestamp'],
  [column('timestamp_ntz', 9), 'text'],
  [column('timestamp_tz', 3), 'timestamptz'],
  [column('time', 9), 'text'],
  [column('variant'), 'json'],
  [column('text'), 'text'],
  [column('date'), 'date'],
])('%j is handed on as %j', (given, type) => {
  expect(sinkType(given)).toEqual(type);
});
