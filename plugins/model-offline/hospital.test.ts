/** Questions over related tables with dates of their own, missing values and columns named alike. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparisonOf, type Row, rowsDifference } from '../../test/harness/same-rows.ts';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { readQuestion } from './conversation.ts';
import { hospitalDatabase } from './hospital.fixture.ts';

const sqlite = await kitDialect('sqlite');

const ADMITTED = 'JOIN admissions a ON a.id = x.admission_id';
const BY_MONTH = `SELECT strftime('%Y-%m', admitted_at), COUNT(*) FROM invoices x ${ADMITTED} GROUP BY 1`;
const RESULTS_2024 = `SELECT COUNT(*) FROM lab_results x ${ADMITTED} WHERE admitted_at LIKE '2024%'`;

/** `>>` separates the messages of a conversation. */
const ANSWERED: readonly (readonly [question: string, sql: string])[] = [
  ['Number of invoices by month of admission', BY_MONTH],
  ['Number of invoices per month of the admission', BY_MONTH],
  [
    'How many invoices of admissions in 2024 by month of admission',
    `SELECT strftime('%Y-%m', admitted_at), COUNT(*) FROM invoices x ${ADMITTED} WHERE admitted_at LIKE '2024%' GROUP BY 1`,
  ],
  [
    'invoices by month of admission >> by year',
    `SELECT strftime('%Y', admitted_at), COUNT(*) FROM invoices x ${ADMITTED} GROUP BY 1`,
  ],
  ['monthly invoices', "SELECT strftime('%Y-%m', issued_on), COUNT(*) FROM invoices GROUP BY 1"],
  [
    'How many invoices of admissions by month?',
    "SELECT strftime('%Y-%m', issued_on), COUNT(*) FROM invoices GROUP BY 1",
  ],
  ['How many invoices by month of issue?', "SELECT strftime('%Y-%m', issued_on), COUNT(*) FROM invoices GROUP BY 1"],
  ['invoices by year admitted', `SELECT strftime('%Y', admitted_at), COUNT(*) FROM invoices x ${ADMITTED} GROUP BY 1`],
  ['Which month of admission has the most invoices?', `${BY_MONTH} ORDER BY 2 DESC LIMIT 1`],
  ['How many lab results of admissions in 2024? >> admitted', RESULTS_2024],
  [
    'How many lab results of admissions in 2024? >> taken',
    "SELECT COUNT(*) FROM lab_results WHERE taken_at LIKE '2024%'",
  ],
  [
    'How many lab results of admissions in 2024? >> 2 >> and in 2025? >> 2',
    `SELECT COUNT(*) FROM lab_results x ${ADMITTED} WHERE admitted_at LIKE '2025%'`,
  ],
  [
    'How many invoices in 2025 by month of admission >> admitted',
    `SELECT strftime('%Y-%m', admitted_at), COUNT(*) FROM invoices x ${ADMITTED} WHERE admitted_at LIKE '2025%' GROUP BY 1`,
  ],
  [
    'Top 3 doctors by number of admissions',
    'SELECT d.full_name, COUNT(*) FROM admissions a JOIN doctors d ON d.id = a.doctor_id GROUP BY d.id ORDER BY 2 DESC, 1 LIMIT 3',
  ],
  [
    'Which doctor has the most admissions?',
    'SELECT d.full_name, COUNT(*) FROM admissions a JOIN doctors d ON d.id = a.doctor_id GROUP BY d.id ORDER BY 2 DESC LIMIT 1',
  ],
  [
    'Which city has the most patients?',
    'SELECT city, COUNT(*) FROM patients WHERE city IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1',
  ],
  [
    'Which specialty has the most admissions?',
    'SELECT specialty, COUNT(*) FROM admissions a JOIN doctors d ON d.id = a.doctor_id GROUP BY 1 ORDER BY 2 DESC LIMIT 1',
  ],
  ['patients by city', 'SELECT city, COUNT(*) FROM patients GROUP BY 1'],
  ['Total qty of prescriptions', 'SELECT SUM(qty) FROM prescriptions'],
  ['average qty of meals', 'SELECT AVG(qty) FROM meals'],
  ['Total qty >> supplies', 'SELECT SUM(qty) FROM supplies'],
  [
    'average invoice per ward',
    `SELECT w.name, AVG(total) FROM invoices x ${ADMITTED} JOIN wards w ON w.id = a.ward_id GROUP BY w.id`,
  ],
];

describe('a hospital', async () => {
  const model = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'hospital'));
  const database = hospitalDatabase();
  const read = (question: string) =>
    readQuestion(question.split(' >> '), model, { now: new Date('2026-11-21T12:00:00Z') });

  it.each(ANSWERED)('%s', (question, sql) => {
    const reading = read(question);
    if (reading.kind !== 'plan') throw new Error(`Not read: ${JSON.stringify(reading)}`);
    const rows = database.prepare(compileQuery(model, reading.plan, { dialect: sqlite }).sql).all() as Row[];
    expect(rowsDifference(rows, database.prepare(sql).all() as Row[], comparisonOf(sql))).toBeUndefined();
  });

  it.each([
    ['How many lab results of admissions in 2024?', ['taken at of lab results', 'admitted at of admissions']],
    ['How many lab results of 2024 admissions', ['taken at of lab results', 'admitted at of admissions']],
    ['How many lab results for admissions last year', ['taken at of lab results', 'admitted at of admissions']],
    ['invoices from admissions since March 2025 by ward', ['issued on of invoices', 'admitted at of admissions']],
    ['How many invoices of patients in 2024?', ['issued on of invoices', 'registered on of patients']],
    [
      'How many patients with lab results of admissions in 2024?',
      ['registered on of patients', 'taken at of lab results', 'admitted at of admissions'],
    ],
    ['How many invoices in 2025 by month of admission', ['issued on of invoices', 'admitted at of admissions']],
    [
      'How many invoices of admissions in 2024 by month of patient',
      ['issued on of invoices', 'admitted at of admissions'],
    ],
    ['Total qty', ['total qty (meals)', 'total qty (prescriptions)', 'total qty (supplies)']],
  ])('asks which is meant: %s', (question, choices) => {
    expect(read(question)).toMatchObject({ kind: 'clarify', choices });
  });

  it.each([
    'How many admissions by month of invoice',
    'How many invoices by month of ward',
    'First admission date',
    'How many invoices by year of discharge?',
    'How many invoices of doctor Ada Kern in 2025',
  ])('does not answer %s', (question) => {
    expect(read(question).kind).toBe('unclear');
  });

  it.each([
    ['Which city has the most patients?', 'where city of patients is given'],
    ['Top 3 doctors by number of admissions', 'where id of doctors is given'],
    ['How many patients are not from Berlin?', 'where city of patients is not Berlin or is missing'],
    ['Total qty of meals', 'total qty of meals'],
  ])('says how it read %s', (question, understood) => {
    expect(read(question)).toMatchObject({ kind: 'plan', understood: expect.stringContaining(understood) });
  });

  it('never reads a number of rows as anything else', () => {
    for (const question of ['List 4 patients', 'show 10 invoices']) expect(read(question).kind).toBe('unclear');
  });
});
