/** Dates and compact numbers as twenty locales write them. */
import { expect, test } from 'vitest';
import { grounding } from './grounding.ts';

const ROWS = [
  { region: 'North', revenue: 9_876_543.21, rate: 0.1234, day: '2024-03-15' },
  { region: 'South', revenue: 4_567_890.12, rate: 0.0876, day: '2023-11-25' },
  { region: 'East', revenue: 1_234_567.89, rate: -0.05, day: '2024-12-31' },
];
const TABLE = { sql: '', connectionId: '', columns: Object.keys(ROWS[0] ?? {}), rows: ROWS, truncated: false };

const left = (text: string) =>
  grounding({ text, tables: [TABLE], said: ['How?'], context: () => [] }).ungrounded.map(
    (figure) => `${text}: ${figure.text}`,
  );

test.each(
  'en-US de-DE fr-FR en-IN de-CH es-ES pt-BR sv-SE it-IT pl-PL ru-RU ja-JP zh-CN ko-KR nl-NL tr-TR cs-CZ'.split(' '),
)('%s', (locale) => {
  for (const { region, revenue, rate, day } of ROWS) {
    const date = new Date(`${day}T12:00:00Z`);
    for (const [value, options] of [
      [revenue, {}],
      [revenue, { style: 'currency', currency: 'EUR' }],
      [revenue, { notation: 'compact', maximumFractionDigits: 2 }],
      [revenue, { notation: 'compact', compactDisplay: 'long' }],
      [rate, { style: 'percent', maximumFractionDigits: 1 }],
    ] as const) {
      expect(left(`${region}: ${value.toLocaleString(locale, options)} ?`)).toEqual([]);
    }
    for (const dateStyle of ['medium', 'long', 'full'] as const) {
      expect(left(`${region} – ${date.toLocaleDateString(locale, { dateStyle })} –`)).toEqual([]);
    }
    expect(left(`${region} – ${date.toLocaleDateString(locale, { month: 'long', day: 'numeric' })} –`)).toEqual([]);
  }
});

test.each(['There are 5 markets.', 'The 7 decisions were made.', 'It has 8 outlets and 12 deck chairs.'])(
  'no date: %s',
  (text) => {
    expect(left(text).length).toBeGreaterThan(0);
  },
);
